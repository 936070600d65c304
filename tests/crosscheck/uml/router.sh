#!/bin/sh
# The first process of a user-mode Linux: home - router - modem - provider - server, in five network namespaces. In the router it types
# what it is given (a file of commands for each case), in front of a modem and a provider with plain buffers, and measures a call up
# beside an upload and a download. It reads the cases from AQMLAB_CASES, prints a line for each, and ends.
. "$AQMLAB_START"
for namespace in a r m p b; do ip netns add $namespace; done
ip link add a0 type veth peer name r0
ip link add wan type veth peer name m0
ip link add m1 type veth peer name p0
ip link add p1 type veth peer name b0
while read -r namespace device address; do
	ip link set "$device" netns "$namespace"
	ip netns exec "$namespace" ip address add "$address/24" dev "$device"
	ip netns exec "$namespace" ip link set "$device" up
	ip netns exec "$namespace" ip link set lo up
	ip netns exec "$namespace" ethtool -K "$device" tso off gso off gro off >/dev/null 2>&1
done <<END
a a0 10.0.1.2
r r0 10.0.1.1
r wan 10.0.2.2
m m0 10.0.2.1
m m1 10.0.3.2
p p0 10.0.3.1
p p1 10.0.4.1
b b0 10.0.4.2
END
ip netns exec a ip route add default via 10.0.1.1
ip netns exec r ip route add default via 10.0.2.1
ip netns exec m ip route add default via 10.0.3.1
ip netns exec m ip route add 10.0.1.0/24 via 10.0.2.2
ip netns exec p ip route add 10.0.0.0/16 via 10.0.3.2
ip netns exec b ip route add default via 10.0.4.1
for namespace in r m p; do ip netns exec $namespace sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'; done
for port in 5201 5202; do ip netns exec b iperf3 -s -p $port -D --logfile /run/server-$port.log; done
tries=0
until ip netns exec a iperf3 -c 10.0.4.2 -n 1K >/dev/null 2>&1 || [ $tries -gt 50 ]; do
	tries=$((tries + 1))
	sleep 0.2
done
echo "KERNEL $(uname -r)"
until=$((AQMLAB_WARM_UP + AQMLAB_SECONDS))
plain() { # namespace, device, rate, framing, bytes
	ip netns exec "$1" tc qdisc del dev "$2" root 2>/dev/null
	ip netns exec "$1" tc qdisc add dev "$2" root handle 1: $4 htb default 1
	ip netns exec "$1" tc class add dev "$2" parent 1: classid 1:1 htb rate "$3kbit" burst 1600 cburst 1600 quantum 1514
	ip netns exec "$1" tc qdisc add dev "$2" parent 1:1 bfifo limit "$5"
}
while IFS='|' read -r name down_kbit up_kbit framing provider_bytes modem_bytes round_trip_ms typed; do
	ip netns exec b tc qdisc replace dev b0 root netem delay "${round_trip_ms}ms" limit 100000
	plain p p0 "$down_kbit" "$framing" "$provider_bytes"
	plain m m1 "$up_kbit" "$framing" "$modem_bytes"
	for device in "wan root" "wan ingress"; do ip netns exec r tc qdisc del dev $device 2>/dev/null; done
	ip netns exec r ip link del ifb4sqm 2>/dev/null
	failed=0
	while read -r command; do
		ip netns exec r sh -c "$command" </dev/null 2>/run/said || { failed=1; echo "REFUSED $name: $command: $(cat /run/said)"; }
	done <"$typed"
	ip netns exec b python3 -I "$AQMLAB_FOLDER/stream.py" receive "$AQMLAB_WARM_UP" "$until" >/run/stream &
	receiver=$!
	ip netns exec a iperf3 -c 10.0.4.2 -t "$AQMLAB_SECONDS" -O "$AQMLAB_WARM_UP" -J >/run/up &
	ip netns exec a iperf3 -c 10.0.4.2 -p 5202 -R -t "$AQMLAB_SECONDS" -O "$AQMLAB_WARM_UP" -J >/run/down &
	ip netns exec a python3 -I "$AQMLAB_FOLDER/stream.py" send 10.0.4.2 0.08 200 0 0 "$until"
	wait $receiver
	wait
	echo "CASE $name: $failed $(cat /run/stream) $(python3 -I "$AQMLAB_FOLDER/stream.py" bulk /run/up) $(python3 -I "$AQMLAB_FOLDER/stream.py" bulk /run/down)"
done <"$AQMLAB_CASES"
halt
