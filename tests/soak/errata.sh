# Every erratum with a command gives exactly the violation it claims, and every cure holds.
set -eu
"$ALLOT" errata --run # in an empty directory: the program has the scenarios
