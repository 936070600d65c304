#!/bin/sh
# The first process of a user-mode Linux: sender - router with the queue - receiver, in three network namespaces, and a delay on the
# way back. It reads the cases from its command line (AQMLAB_CASES, a file), prints a line for each, and ends.
. "$AQMLAB_START"
for namespace in a r b; do ip netns add $namespace; done
ip link add a0 type veth peer name r0
ip link add r1 type veth peer name b0
while read -r namespace device address; do
	ip link set "$device" netns "$namespace"
	ip netns exec "$namespace" ip address add "$address/24" dev "$device"
	ip netns exec "$namespace" ip link set "$device" up
	ip netns exec "$namespace" ip link set lo up
	ip netns exec "$namespace" ethtool -K "$device" tso off gso off gro off >/dev/null 2>&1
done <<END
a a0 10.0.1.2
r r0 10.0.1.1
r r1 10.0.2.1
b b0 10.0.2.2
END
ip netns exec a ip address add 10.0.1.3/24 dev a0
ip netns exec b ip address add 10.0.2.3/24 dev b0
ip netns exec a ip route add default via 10.0.1.1
ip netns exec b ip route add default via 10.0.2.1
ip netns exec a ip route add 10.0.2.3 via 10.0.1.1 src 10.0.1.3
ip netns exec r sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
ip netns exec b iperf3 -s -D --logfile /run/server.log
tries=0
until ip netns exec a iperf3 -c 10.0.2.2 -n 1K >/dev/null 2>&1 || [ $tries -gt 50 ]; do
	tries=$((tries + 1))
	sleep 0.2
done
echo "KERNEL $(uname -r)"
until=$((AQMLAB_WARM_UP + AQMLAB_SECONDS))
while IFS=';' read -r queue rate_mbps bulk round_trip_ms stream_mbps packet_bytes on_ms off_ms host; do
	ip netns exec b tc qdisc replace dev b0 root netem delay "${round_trip_ms}ms" limit 100000
	ip netns exec r tc qdisc del dev r1 root 2>/dev/null
	case "$queue" in
	cake*) ip netns exec r tc qdisc add dev r1 root $queue bandwidth "${rate_mbps}mbit" ;;
	*)
		ip netns exec r tc qdisc add dev r1 root handle 1: htb default 1
		ip netns exec r tc class add dev r1 parent 1: classid 1:1 htb rate "${rate_mbps}mbit" burst 1600 cburst 1600 quantum 1514
		ip netns exec r tc qdisc add dev r1 parent 1:1 $queue
		;;
	esac
	case "$host" in own) to=10.0.2.3 ;; *) to=10.0.2.2 ;; esac
	ip netns exec b python3 -I "$AQMLAB_FOLDER/stream.py" receive "$AQMLAB_WARM_UP" "$until" >/run/stream &
	receiver=$!
	ip netns exec a iperf3 -c 10.0.2.2 -t "$AQMLAB_SECONDS" -O "$AQMLAB_WARM_UP" -P "$bulk" -J >/run/bulk &
	ip netns exec a python3 -I "$AQMLAB_FOLDER/stream.py" send "$to" "$stream_mbps" "$packet_bytes" \
		"$(echo "$on_ms" | awk '{print $1/1000}')" "$(echo "$off_ms" | awk '{print $1/1000}')" "$until"
	wait $receiver
	wait
	echo "CASE $queue;$rate_mbps;$bulk;$round_trip_ms;$stream_mbps;$packet_bytes;$on_ms;$off_ms;$host: $(cat /run/stream) $(python3 -I "$AQMLAB_FOLDER/stream.py" bulk /run/bulk)"
done <"$AQMLAB_CASES"
halt
