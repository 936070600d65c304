#!/bin/sh
# Property tests with other cases than `make test` has: `properties.sh SEED --rounds N`, or `--hours H` of them. Each round
# has the next seed; one that fails is named, and `properties.sh ITS_SEED --rounds 1` has it again.
set -eu
cd "$(dirname "$0")/../.."

usage() {
    echo "usage: properties.sh SEED --rounds N | --hours H, each a number above 0; SEED is a whole number" >&2
    exit 2
}
[ $# -eq 3 ] || usage
case "$1" in '' | *[!0-9]*) usage ;; esac
case "$3" in '' | *[!0-9.]* | *.*.*) usage ;; esac
awk -v number="$3" 'BEGIN { exit number <= 0 }' || usage
seed=$1
rounds=1 # however short the time
end=0
case "$2" in
--rounds) case "$3" in *.*) usage ;; *) rounds=$3 ;; esac ;;
--hours) end=$(awk -v now="$(date +%s)" -v hours="$3" 'BEGIN { printf "%d", now + 3600 * hours }') ;;
*) usage ;;
esac

tests="--package aqmlab-tcp --test any_network --test any_overrides --test reductions
    --package aqmlab-web --test any_parameters
    --package aqmlab-scenario --test resolved
    --package aqmlab-aqm --test conformance
    --package aqmlab-link --test any_arrivals --test any_path --test several_in_one
    --package aqmlab-sim --package aqmlab-session --package aqmlab-record --lib"
# Apart from the rounds: what does not compile is no finding of a seed.
# shellcheck disable=SC2086  # a list of arguments
cargo test --locked --quiet --no-run $tests
finished=0
while [ "$finished" -lt "$rounds" ] || [ "$(date +%s)" -lt "$end" ]; do
    # shellcheck disable=SC2086  # a list of arguments
    if ! PROPTEST_RNG_SEED=$seed cargo test --locked --quiet $tests -- --include-ignored; then
        echo "properties: seed $seed fails; tools/fuzz/properties.sh $seed --rounds 1 has it again" >&2
        exit 1
    fi
    finished=$((finished + 1))
    echo "properties: seed $seed, round $finished: nothing found"
    seed=$((seed + 1))
done
