# Random runs of the broker, with late, vanishing and fickle clients; and repairs that are switched off are found.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 100000 15000000 strong-weak
clean 100000 5800000 ordered-chain
finds deadlock 50000 strong-weak --without search
finds first-everywhere 50000 strong-weak --without consent
finds assertion 50000 strong-weak --without rank-holders
finds first-everywhere 50000 strong-weak --without match-requests
finds token-moves 50000 strong-weak --without pass-token
