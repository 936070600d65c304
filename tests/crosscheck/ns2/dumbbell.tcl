# The crosscheck scenario for ns-2: fifty long-lived NewReno flows with
# different round-trip times share one 100 Mbps bottleneck.
#
# Usage: ns dumbbell.tcl -scheme droptail|red|ared|pi|rem -seed N
#            [-set name value]... [-monitor 0|1] [-record file]
#
# Every parameter is set here, never left at the default of the ns package,
# so that the tables below say everything another simulator has to mirror.
# `-set` overrides one entry of one of these tables: `-set singledup_ 0`.
# Where two tables have the same name, give the table too:
# `-set sink:packetSize_ 60`.
#
# `-monitor 0` leaves the queue monitor out (to time ns-2 alone).
# `-record file` writes the variables of some senders as they change.

# ---------------------------------------------------------------------------
# Parameters
# ---------------------------------------------------------------------------

array set scenario {
    flows               50
    shortest_rtt_s      0.010
    longest_rtt_s       0.150
    bottleneck_bps      100e6
    bottleneck_delay_s  0
    buffer_packets      240
    access_bps          1e9
    access_packets      100000
    start_spread_s      1.0
    warmup_s            20.0
    end_s               100.0
    groups              5
    two_way             0
    one_way_agent       Newreno
    linux_control       cubic
    scheduler           Calendar
    recorded_flows      {0 10 20 30 40 49}
}

# The tables `tcp` and `sink`.
source [file join [file dirname [info script]] one_way_tcp.tcl]

# Agent/TCP/FullTcp/Newreno, at both ends of a flow if two_way is 1; the senders have the parameters above as well.
array set full {
    segsize_          960
    segsperack_       1
    interval_         0.1
    nodelay_          false
    tcprexmtthresh_   3
    dupseg_fix_       true
    dupack_reset_     false
    recov_maxburst_   2
}

# What every queue has (the class Queue).
array set queue_common {
    unblock_on_resume_  true
    interleave_         false
    acksfirst_          false
    ackfromfront_       false
    util_weight_        0.8
    util_check_intv_    0.2
    util_records_       5
}

array set queue_droptail {
    drop_front_       false
    queue_in_bytes_   false
    mean_pktsize_     1000
    summarystats_     false
}

# The thresholds and the weight are what ns-2.35 computes by itself for a
# 100 Mbps link, 1000-byte packets and a target delay of 5 ms:
# thresh_ = 5 ms * 12500 packets/s / 2, maxthresh_ = 3 * thresh_ and
# q_weight_ = 1 - exp(-1/12500).
array set queue_red {
    thresh_            31.25
    maxthresh_         93.75
    q_weight_          7.9996800085302411e-05
    targetdelay_       0.005
    linterm_           10
    gentle_            true
    wait_              true
    bytes_             false
    queue_in_bytes_    false
    mean_pktsize_      1000
    idle_pktsize_      1000
    setbit_            false
    mark_p_            0.1
    use_mark_p_        true
    drop_tail_         true
    drop_front_        false
    drop_rand_         false
    doubleq_           false
    dqthresh_          50
    ns1_compat_        false
    cautious_          0
    adaptive_          0
    feng_adaptive_     0
    alpha_             0.01
    beta_              0.9
    interval_          0.5
    top_               0.5
    bottom_            0.0008
    summarystats_      false
}

array set queue_ared [array get queue_red]
set queue_ared(adaptive_) 1

array set queue_pi {
    a_                 1.822e-5
    b_                 1.816e-5
    w_                 170
    qref_              50
    bytes_             false
    queue_in_bytes_    false
    mean_pktsize_      1000
    setbit_            false
}

array set queue_rem {
    gamma_             0.001
    phi_               1.001
    inw_               1
    pupdtime_          0.002
    pbo_               20
    mean_pktsize_      1000
    qib_               false
    markpkts_          false
}

array set queue_class {
    droptail Queue/DropTail
    red      Queue/RED
    ared     Queue/RED
    pi       Queue/PI
    rem      Queue/REM
}

# ---------------------------------------------------------------------------
# The command line
# ---------------------------------------------------------------------------

proc fail {message} {
    puts stderr "dumbbell.tcl: $message"
    exit 2
}

# The tables `-set` may change, given the scheme.
proc override_tables {} {
    global options
    return [list scenario tcp sink full queue_common queue_$options(scheme)]
}

proc apply_override {name value} {
    set tables [override_tables]
    if {[regexp {^([a-z_]+):(.+)$} $name -> table name]} {
        if {$table eq "queue"} {
            set tables [lrange $tables 4 end]
        } else {
            set tables [list $table]
        }
    }
    set found {}
    foreach table $tables {
        if {[info exists ::${table}($name)]} { lappend found $table }
    }
    if {[llength $found] != 1} {
        fail "-set $name: found in [llength $found] tables ($found)"
    }
    set ::${found}($name) $value
}

proc read_command_line {arguments} {
    global options overrides queue_class
    array set options {scheme droptail seed 1 monitor 1 record ""}
    set overrides {}
    while {[llength $arguments] > 0} {
        set name [string range [lindex $arguments 0] 1 end]
        if {$name eq "set" && [llength $arguments] >= 3} {
            lappend overrides [lindex $arguments 1] [lindex $arguments 2]
            set arguments [lrange $arguments 3 end]
        } elseif {[info exists options($name)] && [llength $arguments] >= 2} {
            set options($name) [lindex $arguments 1]
            set arguments [lrange $arguments 2 end]
        } else {
            fail "unknown or unfinished option: [lindex $arguments 0]"
        }
    }
    if {![info exists queue_class($options(scheme))]} {
        fail "unknown scheme: $options(scheme)"
    }
    foreach {name value} $overrides { apply_override $name $value }
}

# ---------------------------------------------------------------------------
# The network
# ---------------------------------------------------------------------------

proc set_all {object table} {
    upvar #0 $table values
    foreach name [array names values] { $object set $name $values($name) }
}

proc base_rtt {flow} {
    global scenario
    set span [expr {$scenario(longest_rtt_s) - $scenario(shortest_rtt_s)}]
    return [expr {$scenario(shortest_rtt_s)
        + $span * $flow / ($scenario(flows) - 1.0)}]
}

proc set_bottleneck_queue {queue scheme} {
    set_all $queue queue_common
    set_all $queue queue_$scheme
    $queue set limit_ $::scenario(buffer_packets)
}

proc set_access_queue {from to} {
    set queue [[$::ns link $from $to] queue]
    set_all $queue queue_common
    set_all $queue queue_droptail
    $queue set limit_ $::scenario(access_packets)
}

proc make_bottleneck {} {
    global ns scenario options queue_class left right forward_queue
    set left [$ns node]
    set right [$ns node]
    set class [string range $queue_class($options(scheme)) 6 end]
    $ns simplex-link $left $right $scenario(bottleneck_bps) \
        $scenario(bottleneck_delay_s) $class
    $ns simplex-link $right $left $scenario(bottleneck_bps) \
        $scenario(bottleneck_delay_s) DropTail
    set forward_queue [[$ns link $left $right] queue]
    set_bottleneck_queue $forward_queue $options(scheme)
    set_bottleneck_queue [[$ns link $right $left] queue] droptail
}

# A host on a link of its own. The four crossings of a flow's two access links
# (there and back) share the flow's propagation delay equally.
proc make_host {router flow} {
    global ns scenario
    set host [$ns node]
    set delay [expr {(0.5 * [base_rtt $flow] - $scenario(bottleneck_delay_s)) / 2.0}]
    $ns duplex-link $host $router $scenario(access_bps) $delay DropTail
    set_access_queue $host $router
    set_access_queue $router $host
    return $host
}

# Agent/TCP/Newreno with TCPSink, or with one that reports selectively Agent/TCP/Sack1 or Agent/TCP/Linux, whose
# congestion control is chosen when the run begins.
proc make_one_way_agents {flow} {
    global ns senders sinks scenario
    set senders($flow) [new Agent/TCP/$scenario(one_way_agent)]
    set_all $senders($flow) tcp
    if {$scenario(one_way_agent) eq "Newreno"} {
        set sinks($flow) [new Agent/TCPSink]
        set_all $sinks($flow) sink
        return
    }
    set sinks($flow) [new Agent/TCPSink/Sack1]
    set_all $sinks($flow) sink
    $sinks($flow) set maxSackBlocks_ 3
    if {$scenario(one_way_agent) eq "Linux"} {
        $senders($flow) set timestamps_ true
        $sinks($flow) set ts_echo_rfc1323_ true
        $ns at 0 "$senders($flow) select_ca $scenario(linux_control)"
        if {$scenario(linux_control) eq "cubic"} {
            # 0.7 as today, where the Linux of that release has 0.8.
            $ns at 0 "$senders($flow) set_ca_param cubic beta 717"
        }
    }
}

proc make_flow {flow start} {
    global ns senders sinks left right scenario
    if {$scenario(two_way)} {
        set senders($flow) [new Agent/TCP/FullTcp/Newreno]
        set sinks($flow) [new Agent/TCP/FullTcp/Newreno]
        foreach end [list $senders($flow) $sinks($flow)] {
            set_all $end tcp
            set_all $end full
        }
        $sinks($flow) listen
    } else {
        make_one_way_agents $flow
    }
    $senders($flow) set fid_ $flow
    $ns attach-agent [make_host $left $flow] $senders($flow)
    $ns attach-agent [make_host $right $flow] $sinks($flow)
    $ns connect $senders($flow) $sinks($flow)
    set application [new Application/FTP]
    $application attach-agent $senders($flow)
    $ns at $start "$application start"
}

proc make_flows {} {
    global scenario
    set start_times [new RNG]
    for {set flow 0} {$flow < $scenario(flows)} {incr flow} {
        make_flow $flow [$start_times uniform 0 $scenario(start_spread_s)]
    }
}

# ---------------------------------------------------------------------------
# Measuring
# ---------------------------------------------------------------------------

# The monitor sees a packet when it reaches the queue, when it leaves the queue
# for the transmitter, and when it is dropped; so its queue length does not
# count the packet being sent. Early drops are told apart by a target of their
# own, which only some queue classes have.
proc attach_monitor {} {
    global ns left right forward_queue monitor length_integral
    set monitor [new QueueMonitor/ED]
    set length_integral [new Integrator]
    set byte_integral [new Integrator]
    $monitor set-pkts-integrator $length_integral
    $monitor set-bytes-integrator $byte_integral
    [$ns link $left $right] attach-monitors [new SnoopQueue/In] \
        [new SnoopQueue/Out] [new SnoopQueue/Drop] $monitor
    set early [new SnoopQueue/EDrop]
    $early set-monitor $monitor
    $early target [$ns set nullAgent_]
    catch {$forward_queue early-drop-target $early}
}

proc read_queue_counters {} {
    global monitor length_integral ns counter
    set now [$ns now]
    $length_integral newpoint $now [$length_integral set lasty_]
    set counter(queue_integral) [$length_integral set sum_]
    foreach {name variable} {
        arrivals parrivals_ departures pdepartures_ drops pdrops_
        early_drops epdrops_ bytes_left bdepartures_
    } {
        set counter($name) [$monitor set $variable]
    }
}

# What has arrived; of two-way agents, what was acknowledged, which is bytes of data.
proc delivered {flow} {
    if {$::scenario(two_way)} { return [$::senders($flow) set ack_] }
    return [$::sinks($flow) set bytes_]
}

proc read_flow_counters {} {
    global senders sinks scenario counter
    for {set flow 0} {$flow < $scenario(flows)} {incr flow} {
        set counter(delivered_$flow) [delivered $flow]
        set counter(timeouts_$flow) [$senders($flow) set nrexmit_]
        set counter(window_cuts_$flow) [$senders($flow) set ncwndcuts_]
        set counter(sent_$flow) [$senders($flow) set ndatapack_]
        set counter(resent_$flow) [$senders($flow) set nrexmitpack_]
    }
}

proc read_counters {} {
    global options
    if {$options(monitor)} { read_queue_counters }
    read_flow_counters
}

proc start_measuring {} {
    global counter before
    read_counters
    array set before [array get counter]
}

proc during {name} {
    global counter before
    return [expr {$counter($name) - $before($name)}]
}

proc sum_over_flows {name first last} {
    set sum 0
    for {set flow $first} {$flow <= $last} {incr flow} {
        set sum [expr {$sum + [during ${name}_$flow]}]
    }
    return $sum
}

proc print_queue_results {seconds} {
    global scenario
    set drops [during drops]
    puts "result packets_arrived [during arrivals]"
    puts "result packets_bottleneck [during departures]"
    puts "result drops $drops"
    puts "result early_drops [during early_drops]"
    puts "result loss_percent [expr {100.0 * $drops / [during arrivals]}]"
    puts "result queue_packets_mean [expr {[during queue_integral] / $seconds}]"
    puts "result utilization [expr {8.0 * [during bytes_left]
        / ($scenario(bottleneck_bps) * $seconds)}]"
}

# The sinks count the bytes of packets in order, headers included; the share
# that is payload is what a user of the flow receives.
proc payload_share {} {
    global tcp scenario
    if {$scenario(two_way)} { return 1.0 }
    return [expr {double($tcp(packetSize_))
        / ($tcp(packetSize_) + $tcp(tcpip_base_hdr_size_))}]
}

proc print_flow_results {seconds} {
    global scenario
    set last [expr {$scenario(flows) - 1}]
    set size [expr {$scenario(flows) / $scenario(groups)}]
    for {set group 0} {$group < $scenario(groups)} {incr group} {
        set first [expr {$group * $size}]
        set bytes [sum_over_flows delivered $first [expr {$first + $size - 1}]]
        puts "result throughput_kbps_fifth_[expr {$group + 1}]\
            [expr {[payload_share] * $bytes * 8.0 / 1000 / $seconds / $size}]"
    }
    foreach name {timeouts window_cuts sent resent} {
        puts "result $name [sum_over_flows $name 0 $last]"
    }
}

# What happened from time 0 on, the warm-up included.
proc print_whole_run_results {} {
    global scenario counter options cpu_setup_s
    set timeouts 0
    for {set flow 0} {$flow < $scenario(flows)} {incr flow} {
        incr timeouts $counter(timeouts_$flow)
    }
    puts "result timeouts_whole_run $timeouts"
    puts "result cpu_setup_s $cpu_setup_s"
    if {$options(monitor)} {
        puts "result packets_whole_run $counter(departures)"
    }
}

# The user time of this process so far, which Linux counts in 1/100 s.
proc read_cpu_time {} {
    if {[catch {open /proc/self/stat} channel]} { return 0 }
    set fields [lrange [regsub {^.*\)} [read $channel] ""] 0 end]
    close $channel
    return [expr {[lindex $fields 11] / 100.0}]
}

proc print_parameters {} {
    global options forward_queue senders sinks scenario
    set receiver [expr {$scenario(two_way) ? "full" : "sink"}]
    puts "parameter ns_version [ns-version]"
    foreach {table object} [list tcp $senders(0) $receiver $sinks(0) \
            queue_common $forward_queue queue_$options(scheme) $forward_queue] {
        foreach name [lsort [array names ::$table]] {
            puts "parameter $table:$name [$object set $name]"
        }
    }
    puts "parameter queue:limit_ [$forward_queue set limit_]"
    foreach name [lsort [array names ::scenario]] {
        puts "parameter scenario:$name $::scenario($name)"
    }
}

proc finish {} {
    global scenario options
    read_counters
    set seconds [expr {$scenario(end_s) - $scenario(warmup_s)}]
    print_parameters
    if {$options(monitor)} { print_queue_results $seconds }
    print_flow_results $seconds
    print_whole_run_results
    exit 0
}

proc record_senders {} {
    global options senders scenario
    if {$options(record) eq ""} return
    set channel [open $options(record) w]
    foreach flow $scenario(recorded_flows) {
        $senders($flow) attach $channel
        foreach variable {cwnd_ ssthresh_ rtt_ srtt_ rttvar_ backoff_ dupacks_ ack_ t_seqno_} {
            $senders($flow) trace $variable
        }
    }
}

# ---------------------------------------------------------------------------

read_command_line $argv
# Without the headers of the other protocols a packet is smaller, and ns faster.
remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
$ns use-scheduler $scenario(scheduler)
$defaultRNG seed $options(seed)
make_bottleneck
make_flows
if {$options(monitor)} attach_monitor
record_senders
$ns at 0.0 {set cpu_setup_s [read_cpu_time]}
$ns at $scenario(warmup_s) start_measuring
$ns at $scenario(end_s) finish
$ns run
