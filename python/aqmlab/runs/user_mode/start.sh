# Read by the first process of every user-mode Linux: file systems of its own, and the modules that
# AQMLAB_MODULES has (none where all is built in). Its root is that of the machine, read-only.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/run LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
mount -t devtmpfs dev /dev 2>/dev/null
for module in drivers/net/veth drivers/net/tun drivers/net/ifb net/sched/sch_codel net/sched/sch_fq_codel net/sched/sch_fq net/sched/sch_cake \
	net/sched/sch_pie net/sched/sch_red net/sched/sch_sfb net/sched/sch_choke net/sched/sch_prio net/sched/sch_htb net/sched/sch_netem \
	net/sched/sch_ingress net/sched/cls_u32 net/sched/cls_matchall net/sched/act_mirred net/ipv4/tcp_bbr net/ipv4/tcp_dctcp; do
	test -n "$AQMLAB_MODULES" && insmod "$AQMLAB_MODULES/$module.ko" 2>/dev/null
done
ip link set lo up
halt() {
	echo o >/proc/sysrq-trigger
	sleep 5
}
