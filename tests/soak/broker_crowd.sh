# 64 clients and 64 resources: links that keep no order, clients that give up, come late and vanish, some halfway through
# sending; every world is judged.
set -euo pipefail
late=$(seq -f '%g@1s' -s, 118 127)
# Least grants within 20 s: about a tenth less than was measured with seeds 1 and 2.
declare -A grants_least=(
    [strong-weak,even]=34000 [strong-weak,zipf]=10000
    [ordered-chain,even]=39000 [ordered-chain,zipf]=14000
    [ring-ticket,even]=5000 [ring-ticket,zipf]=5000 # not measured yet
)
number() { grep -oE "\"$1\":[0-9]+" run.json | head -n 1 | sed "s/.*://"; }
for protocol in strong-weak ordered-chain ring-ticket; do
    give_up=(--give-up exponential:100ms)
    withdrawals=1000
    [ $protocol != ring-ticket ] || { give_up=() && withdrawals=-1; } # which knows no withdrawals
    for popularity in even zipf; do
        for seed in 1 2 3; do
            "$ALLOT" sim $protocol --clients 64 --resources 64 --max-request 2 --popularity $popularity --seed $seed \
                --time 20s --think exponential:5ms --hold exponential:5ms --latency exponential:1ms \
                "${give_up[@]}" --founders 118 --join "$late" --crashes 30 --crash-inside 50 \
                --crash-to 15s --verify 1 --json >run.json || { cat run.json; exit 1; }
            echo "$protocol, $popularity, seed $seed: $(number grants) grants, $(number Cancel || echo 0) messages of withdrawal"
            [ "$(number unserved)" -eq 0 ]
            [ "$(number grants)" -ge "${grants_least[$protocol,$popularity]}" ]
            [ "$(number Cancel || echo 0)" -gt $withdrawals ]
        done
    done
done
