#!/bin/sh
# The first process of a user-mode Linux: two ends of a cable, and a program that asks the queues at one of them (AQMLAB_PROGRAM) about
# the cases of a file.
. "$AQMLAB_START"
ip netns add b
ip link add a0 type veth peer name b0
ip link set b0 netns b
ip address add 10.0.0.1/24 dev a0
ip link set a0 up
ip netns exec b ip address add 10.0.0.2/24 dev b0
ip netns exec b ip link set b0 up
ip neighbour replace 10.0.0.2 lladdr "$(ip netns exec b cat /sys/class/net/b0/address)" dev a0
echo "KERNEL $(uname -r)"
python3 -I "$AQMLAB_FOLDER/$AQMLAB_PROGRAM" "$AQMLAB_CASES"
halt
