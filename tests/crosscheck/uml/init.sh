#!/bin/sh
# The first process of a user-mode Linux: sender - router with the queue - receiver, in three network namespaces, and 20 ms on the
# way back. It reads the cases from its command line (AQMLAB_CASES, a file), prints a line of JSON for each, and ends.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/run LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
for module in drivers/net/veth net/sched/sch_codel net/sched/sch_fq_codel net/sched/sch_cake net/sched/sch_netem net/sched/sch_htb; do
	[ -n "$AQMLAB_MODULES" ] && insmod "$AQMLAB_MODULES/$module.ko"
done
ip link set lo up
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
ip netns exec a ip route add default via 10.0.1.1
ip netns exec b ip route add default via 10.0.2.1
ip netns exec r sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
ip netns exec b tc qdisc add dev b0 root netem delay 20ms limit 100000
ip netns exec b iperf3 -s -D --logfile /run/server.log
tries=0
until ip netns exec a iperf3 -c 10.0.2.2 -n 1K >/dev/null 2>&1 || [ $tries -gt 50 ]; do
	tries=$((tries + 1))
	sleep 0.2
done
echo "KERNEL $(uname -r)"
while IFS=';' read -r queue rate_mbps bulk stream_mbps packet_bytes; do
	ip netns exec r tc qdisc del dev r1 root 2>/dev/null
	case "$queue" in
	cake*) ip netns exec r tc qdisc add dev r1 root $queue bandwidth "${rate_mbps}mbit" ;;
	*)
		ip netns exec r tc qdisc add dev r1 root handle 1: htb default 1
		ip netns exec r tc class add dev r1 parent 1: classid 1:1 htb rate "${rate_mbps}mbit" burst 1600 cburst 1600 quantum 1514
		ip netns exec r tc qdisc add dev r1 parent 1:1 $queue
		;;
	esac
	ip netns exec b python3 -I "$AQMLAB_FOLDER/stream.py" receive >/run/stream &
	receiver=$!
	ip netns exec a iperf3 -c 10.0.2.2 -t "$AQMLAB_SECONDS" -O "$AQMLAB_WARM_UP" -P "$bulk" -J >/run/bulk &
	ip netns exec a python3 -I "$AQMLAB_FOLDER/stream.py" send 10.0.2.2 "$stream_mbps" "$packet_bytes" "$AQMLAB_WARM_UP" "$AQMLAB_SECONDS"
	wait $receiver
	wait
	echo "CASE $queue;$rate_mbps;$bulk;$stream_mbps;$packet_bytes: $(cat /run/stream) $(python3 -I "$AQMLAB_FOLDER/stream.py" bulk /run/bulk)"
done <"$AQMLAB_CASES"
echo o >/proc/sysrq-trigger
sleep 5
