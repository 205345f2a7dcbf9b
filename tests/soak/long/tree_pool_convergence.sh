# From arbitrary starts every schedule leads to a legitimate world, and none leads out again.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# from_anywhere STATES TRANSITIONS FLAGS...
from_anywhere() {
    local states=$1 transitions=$2
    shift 2
    holds "$states" "$transitions" tree-pool --start arbitrary --requests any --backoff 0 "$@"
}
from_anywhere 5504576 15838577 --sites 2 --units 1 --samples 2000
from_anywhere 7148215 21056455 --sites 2 --units 1 --samples 1000 --noise 2 --cmax 2 --patience 2
from_anywhere 4225904 14005856 --sites 2 --units 2 --max-request 2 --samples 200 --patience 2
from_anywhere 3980641 11251522 --sites 2 --units 1 --samples 1000 --patience 2 --drain on
from_anywhere 36810575 108049128 --sites 2 --units 1 --samples 100 --patience 0 --pacing on
# Timers that fire too early.
from_anywhere 3532976 10747117 --sites 2 --units 1 --samples 200 --patience 2 --copies 2
from_anywhere 3540802 11358972 --sites 2 --units 1 --samples 50 --taint off --copies 3
# The star of seed 5 is left out: it takes more than ten minutes.
from_anywhere 893362 3751325 --sites 3 --tree star --units 1 --samples 1 --seed 1 --patience 2
from_anywhere 951757 3986235 --sites 3 --tree chain --units 1 --samples 1 --seed 1 --patience 2
from_anywhere 556645 2258674 --sites 3 --tree star --units 1 --samples 1 --seed 2 --patience 2
from_anywhere 388679 1533069 --sites 3 --tree chain --units 1 --samples 1 --seed 2 --patience 2
from_anywhere 365781 1432972 --sites 3 --tree star --units 1 --samples 1 --seed 3 --patience 2
from_anywhere 1130188 4799432 --sites 3 --tree chain --units 1 --samples 1 --seed 3 --patience 2
from_anywhere 426005 1695123 --sites 3 --tree star --units 1 --samples 1 --seed 4 --patience 2
from_anywhere 708205 2920041 --sites 3 --tree chain --units 1 --samples 1 --seed 4 --patience 2
from_anywhere 522333 2123184 --sites 3 --tree star --units 1 --samples 1 --seed 6 --patience 2
from_anywhere 767393 3196095 --sites 3 --tree chain --units 1 --samples 1 --seed 6 --patience 2
from_anywhere 3470592 15310868 --sites 3 --tree star --units 1 --samples 1 --seed 7 --patience 2
from_anywhere 5438046 23922603 --sites 3 --tree chain --units 1 --samples 1 --seed 7 --patience 2
from_anywhere 1029724 4377896 --sites 3 --tree star --units 1 --samples 1 --seed 8 --patience 2
from_anywhere 964122 4098949 --sites 3 --tree chain --units 1 --samples 1 --seed 8 --patience 2
from_anywhere 376290 1479849 --sites 3 --tree star --units 1 --samples 1 --seed 9 --patience 2
from_anywhere 630150 2602933 --sites 3 --tree chain --units 1 --samples 1 --seed 9 --patience 2
from_anywhere 442134 1762077 --sites 3 --tree star --units 1 --samples 1 --seed 10 --patience 2
from_anywhere 481248 1935084 --sites 3 --tree chain --units 1 --samples 1 --seed 10 --patience 2
from_anywhere 2191259 9070534 --sites 3 --tree star --units 1 --samples 1 --seed 11 --patience 2
from_anywhere 541463 2188424 --sites 3 --tree chain --units 1 --samples 1 --seed 11 --patience 2
from_anywhere 678059 2810192 --sites 3 --tree star --units 1 --samples 1 --seed 12 --patience 2
from_anywhere 599341 2455663 --sites 3 --tree chain --units 1 --samples 1 --seed 12 --patience 2
from_anywhere 657840 2711121 --sites 3 --tree star --units 1 --samples 1 --seed 13 --patience 2
from_anywhere 729222 3010657 --sites 3 --tree chain --units 1 --samples 1 --seed 13 --patience 2
from_anywhere 870808 3642921 --sites 3 --tree star --units 1 --samples 1 --seed 14 --patience 2
from_anywhere 832312 3476790 --sites 3 --tree chain --units 1 --samples 1 --seed 14 --patience 2
from_anywhere 1787051 7690812 --sites 3 --tree star --units 1 --samples 1 --seed 15 --patience 2
from_anywhere 871871 3595007 --sites 3 --tree chain --units 1 --samples 1 --seed 15 --patience 2
from_anywhere 3933731 17818922 --sites 3 --tree star --units 1 --samples 1 --seed 16 --patience 2
from_anywhere 2431935 10562054 --sites 3 --tree chain --units 1 --samples 1 --seed 16 --patience 2
from_anywhere 1255108 5395510 --sites 3 --tree star --units 1 --samples 1 --seed 17 --patience 2
from_anywhere 4296081 18895391 --sites 3 --tree chain --units 1 --samples 1 --seed 17 --patience 2
from_anywhere 2250815 9605638 --sites 3 --tree star --units 1 --samples 1 --seed 18 --patience 2
from_anywhere 3510734 14965412 --sites 3 --tree chain --units 1 --samples 1 --seed 18 --patience 2
from_anywhere 815131 3422375 --sites 3 --tree star --units 1 --samples 1 --seed 19 --patience 2
from_anywhere 953184 4045823 --sites 3 --tree chain --units 1 --samples 1 --seed 19 --patience 2
from_anywhere 1019949 4348805 --sites 3 --tree star --units 1 --samples 1 --seed 20 --patience 2
from_anywhere 658197 2721842 --sites 3 --tree chain --units 1 --samples 1 --seed 20 --patience 2
from_anywhere 669738 2772416 --sites 3 --tree star --units 1 --samples 1 --seed 21 --patience 2
from_anywhere 515796 2093817 --sites 3 --tree chain --units 1 --samples 1 --seed 21 --patience 2
