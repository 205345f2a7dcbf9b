# 64 clients and 64 resources: links that keep no order, clients that give up, come late and vanish, some halfway through
# sending; every world is judged.
set -euo pipefail
late=$(seq -f '%g@1s' -s, 118 127)
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
            [ "$(number grants)" -gt 5000 ]
            [ "$(number Cancel || echo 0)" -gt $withdrawals ]
        done
    done
done
