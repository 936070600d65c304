# RED-PD in front of a link that twenty NewReno flows share with three streams that do not respond, for ns-2.
#
# Usage: ns red_pd.tcl -seed N -scripts FOLDER [-set name value]...
#
# FOLDER holds monitoring.tcl and helper.tcl, with which RED-PD's authors find flows; Debian's package ns2-examples has
# them, ns2 has the queue alone. Parameters are set here, never left at the default of the ns package; what these
# scripts set (five lists, three appearances, 0.05, ...) is theirs.

# The tables `tcp` and `sink`.
source [file join [file dirname [info script]] one_way_tcp.tcl]

array set scenario {
    flows               20
    shortest_rtt_s      0.0413
    longest_rtt_s       0.1207
    bottleneck_bps      10e6
    buffer_packets      50
    access_bps          1e9
    access_packets      100000
    stream_bytes        1000
    stream_mbps         {4.0 2.0 0.5}
    stream_delay_s      0.010
    start_spread_s      1.0
    target_rtt_s        0.040
    warmup_s            30.0
    end_s               150.0
    sample_s            0.009973
}

array set queue_red_pd {
    unblock_on_resume_ true
    thresh_            10
    maxthresh_         33
    q_weight_          0.002
    linterm_           10
    gentle_            true
    wait_              true
    bytes_             false
    queue_in_bytes_    false
    mean_pktsize_      1000
    idle_pktsize_      1000
    setbit_            false
    use_mark_p_        true
    mark_p_            0.1
    drop_tail_         true
    drop_front_        false
    drop_rand_         false
    ns1_compat_        false
    cautious_          0
    adaptive_          0
    unresponsive_penalty_ 1
    noidle_            false
    P_testFRp_         -1
}

array set options {seed 1 scripts ""}

proc fail {message} {
    puts stderr "red_pd.tcl: $message"
    exit 2
}

proc read_command_line {arguments} {
    global options scenario queue_red_pd
    while {[llength $arguments] >= 2} {
        set name [string range [lindex $arguments 0] 1 end]
        set value [lindex $arguments 1]
        if {$name eq "set" && [llength $arguments] >= 3} {
            set setting [lindex $arguments 2]
            if {[info exists scenario($value)]} {
                set scenario($value) $setting
            } elseif {[info exists queue_red_pd($value)]} {
                set queue_red_pd($value) $setting
            } else {
                fail "-set $value: no such entry"
            }
            set arguments [lrange $arguments 3 end]
        } elseif {[info exists options($name)]} {
            set options($name) $value
            set arguments [lrange $arguments 2 end]
        } else {
            fail "unknown option: -$name"
        }
    }
    if {[llength $arguments] > 0} { fail "unfinished option: [lindex $arguments 0]" }
    if {![file exists $options(scripts)/monitoring.tcl]} { fail "-scripts: no monitoring.tcl there" }
}

# ---------------------------------------------------------------------------
# The network
# ---------------------------------------------------------------------------

proc set_all {object table} {
    upvar #0 $table values
    foreach name [array names values] { $object set $name $values($name) }
}

# The flow monitor is the queue's own: RED-PD's scripts read it, and reset it after each interval. What is reset is
# added up here.
proc make_bottleneck {} {
    global ns scenario left right queue monitor integral
    set left [$ns node]
    set right [$ns node]
    $ns simplex-link $left $right $scenario(bottleneck_bps) 0 RED/PD
    $ns simplex-link $right $left $scenario(bottleneck_bps) 0 DropTail
    set link [$ns link $left $right]
    set queue [$link queue]
    set_all $queue queue_red_pd
    $queue set limit_ $scenario(buffer_packets)
    [[$ns link $right $left] queue] set limit_ $scenario(access_packets)
    set monitor [$queue makeflowmon $link]
    $monitor proc reset {} {
        add_up
        $self next
    }
    new REDPDSim $ns $queue $monitor $link 0 true
}

proc make_host {router delay_s} {
    global ns scenario
    set host [$ns node]
    $ns duplex-link $host $router $scenario(access_bps) $delay_s DropTail
    foreach {from to} [list $host $router $router $host] {
        [[$ns link $from $to] queue] set limit_ $scenario(access_packets)
    }
    return $host
}

# The four crossings of a flow's two access links share its propagation delay equally.
proc make_flow {flow start} {
    global ns scenario left right sinks
    set span [expr {$scenario(longest_rtt_s) - $scenario(shortest_rtt_s)}]
    set rtt [expr {$scenario(shortest_rtt_s) + $span * $flow / ($scenario(flows) - 1.0)}]
    set sender [new Agent/TCP/Newreno]
    set sinks($flow) [new Agent/TCPSink]
    set_all $sender tcp
    set_all $sinks($flow) sink
    $sender set fid_ $flow
    $ns attach-agent [make_host $left [expr {$rtt / 4.0}]] $sender
    $ns attach-agent [make_host $right [expr {$rtt / 4.0}]] $sinks($flow)
    $ns connect $sender $sinks($flow)
    set application [new Application/FTP]
    $application attach-agent $sender
    $ns at $start "$application start"
}

proc make_stream {number mbps start} {
    global ns scenario left right received
    set sender [new Agent/UDP]
    $sender set packetSize_ $scenario(stream_bytes)
    $sender set fid_ [expr {1000 + $number}]
    set received($number) [new Agent/LossMonitor]
    $ns attach-agent [make_host $left $scenario(stream_delay_s)] $sender
    $ns attach-agent [make_host $right $scenario(stream_delay_s)] $received($number)
    $ns connect $sender $received($number)
    set source [new Application/Traffic/CBR]
    $source set packetSize_ $scenario(stream_bytes)
    $source set rate_ ${mbps}Mb
    $source set random_ 0
    $source attach-agent $sender
    $ns at $start "$source start"
}

proc make_sources {} {
    global scenario
    set starts [new RNG]
    for {set flow 0} {$flow < $scenario(flows)} {incr flow} {
        make_flow $flow [$starts uniform 0 $scenario(start_spread_s)]
    }
    set number 0
    foreach mbps $scenario(stream_mbps) {
        make_stream $number $mbps [$starts uniform 0 $scenario(start_spread_s)]
        incr number
    }
}

# ---------------------------------------------------------------------------
# Measuring
# ---------------------------------------------------------------------------

array set total {parrivals_ 0 pdrops_ 0 mon_epdrops_ 0 bdepartures_ 0}
array set sums {samples 0 waiting 0 monitored 0 unresponsive 0}

proc add_up {} {
    global monitor total
    foreach name [array names total] { incr total($name) [$monitor set $name] }
}

# Without what the monitor would count from then on: an answer, and nothing is changed.
proc so_far {name} {
    return [expr {$::total($name) + [$::monitor set $name]}]
}

proc sample {} {
    global ns scenario queue monitor sums
    incr sums(samples)
    incr sums(waiting) [$monitor set pkts_]
    foreach flow [$monitor flows] {
        incr sums(monitored) [$flow set monitored_]
        incr sums(unresponsive) [$flow set unresponsive_]
    }
    $ns at [expr {[$ns now] + $scenario(sample_s)}] sample
}

proc read_counters {} {
    global counter scenario sinks received
    foreach name {parrivals_ pdrops_ mon_epdrops_ bdepartures_} { set counter($name) [so_far $name] }
    set counter(tcp) 0
    foreach flow [array names sinks] { incr counter(tcp) [$sinks($flow) set bytes_] }
    foreach number [array names received] { set counter(stream_$number) [$received($number) set bytes_] }
}

proc start_measuring {} {
    global counter before
    read_counters
    array set before [array get counter]
    sample
}

proc during {name} {
    return [expr {double($::counter($name) - $::before($name))}]
}

proc mbps {name} {
    return [expr {8e-6 * [during $name] / ($::scenario(end_s) - $::scenario(warmup_s))}]
}

proc finish {} {
    global scenario sums queue
    read_counters
    puts "result loss_percent [expr {100.0 * [during pdrops_] / [during parrivals_]}]"
    puts "result filter_percent [expr {100.0 * [during mon_epdrops_] / [during parrivals_]}]"
    puts "result queue_packets_mean [expr {double($sums(waiting)) / $sums(samples)}]"
    puts "result utilization [expr {1e6 * [mbps bdepartures_] / $scenario(bottleneck_bps)}]"
    puts "result tcp_mbps [mbps tcp]"
    foreach number [array names ::received] { puts "result stream_${number}_mbps [mbps stream_$number]" }
    foreach name {monitored unresponsive} {
        puts "result ${name}_flows [expr {double($sums($name)) / $sums(samples)}]"
    }
    exit 0
}

# ---------------------------------------------------------------------------

read_command_line $argv
# What the authors' scripts read: the target round-trip time, the test for flows that do not respond, and silence.
set target_rtt_ $scenario(target_rtt_s)
set unresponsive_test_ 1
set testIdent_ 0
set listMode_ multi
set verbosity_ -1
source $options(scripts)/monitoring.tcl
source $options(scripts)/helper.tcl

set ns [new Simulator]
$defaultRNG seed $options(seed)
make_bottleneck
make_sources
$ns at $scenario(warmup_s) start_measuring
$ns at $scenario(end_s) finish
$ns run
