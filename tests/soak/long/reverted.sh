# Mends are taken out one by one, and a test notices each time (tools/reverted).
cd "$ALLOT_SOURCE_DIR" && exec tools/reverted
