# PackMime's clouds over a row of DelayBox routers, for ns-2: a dumbbell of one hop, or the parking lot of the study of
# several congested links, with cross traffic over the congested hops and long-lived flows from end to end.
#
# Usage: ns clouds.tcl [-name value]...
#
# Names are those of the table `scenario` below, and `seed`, `scheme`, `responses` (a prefix of files for response times)
# and `record` (a prefix of files that tell every connection: connections, its nodes; samples, its exchanges; delays, what
# each DelayBox drew for it). `server_s` is the time that every server takes; 0 leaves it to PackMime's law, of which
# nothing can be recorded. Every parameter is set here, never left at the default of the ns package.

array set scenario {
    hops                1
    congested_hops      {0}
    rate_mbps           10.0
    delay_s             0.001
    buffer_packets      200
    access_packets      100000
    connections         100.0
    cross_connections   0.0
    cloud_mbps          100.0
    long_lived          0
    long_lived_mbps     1.0
    server_s            0.0
    warmup_s            30.0
    end_s               180.0
}
array set options {seed 1 scheme droptail responses "" record ""}

# Agent/TCP/FullTcp/Newreno at both ends: the host profile ns2-full.
array set full_tcp {
    window_           30
    windowInit_       2
    windowInitOption_ 1
    ecn_              1
    minrto_           1.0
    maxrto_           60
    rtxcur_init_      3.0
    segsize_          1460
    segsperack_       1
    interval_         0.1
    nodelay_          false
}

array set queue_class {droptail DropTail ared RED pi PI rem REM}
array set queue_droptail {drop_front_ false queue_in_bytes_ false}
array set queue_ared {
    bytes_ true queue_in_bytes_ true mean_pktsize_ 500 adaptive_ 1 targetdelay_ 0.010
    thresh_ 0 maxthresh_ 0 q_weight_ -1 gentle_ true setbit_ true use_mark_p_ true mark_p_ 0.1
}
array set queue_pi {bytes_ true queue_in_bytes_ true mean_pktsize_ 500 qref_ 20 setbit_ true}
array set queue_rem {qib_ true mean_pktsize_ 1000 pbo_ 20 markpkts_ true}

proc fail {message} {
    puts stderr "clouds.tcl: $message"
    exit 2
}

proc read_command_line {arguments} {
    global scenario options queue_class
    foreach {name value} $arguments {
        set name [string range $name 1 end]
        if {[info exists scenario($name)]} {
            set scenario($name) $value
        } elseif {[info exists options($name)]} {
            set options($name) $value
        } else {
            fail "unknown option: -$name"
        }
    }
    if {![info exists queue_class($options(scheme))]} { fail "unknown scheme: $options(scheme)" }
}

# ---------------------------------------------------------------------------
# The network
# ---------------------------------------------------------------------------

proc set_hosts {} {
    global full_tcp
    foreach class {Agent/TCP Agent/TCP/FullTcp Agent/TCP/FullTcp/Newreno} {
        foreach name [array names full_tcp] {
            if {$class ne "Agent/TCP" || [lsearch {segsize_ segsperack_ interval_ nodelay_} $name] < 0} {
                $class set $name $full_tcp($name)
            }
        }
    }
}

proc set_queue {from to scheme} {
    global ns scenario
    upvar #0 queue_$scheme values
    set queue [[$ns link $from $to] queue]
    $queue set limit_ $scenario(buffer_packets)
    foreach name [array names values] { $queue set $name $values($name) }
}

proc make_routers {} {
    global ns scenario options queue_class router
    for {set place 0} {$place <= $scenario(hops)} {incr place} { set router($place) [$ns DelayBox] }
    for {set hop 0} {$hop < $scenario(hops)} {incr hop} {
        set next [expr {$hop + 1}]
        set scheme [expr {[lsearch $scenario(congested_hops) $hop] >= 0 ? $options(scheme) : "droptail"}]
        $ns duplex-link $router($hop) $router($next) [expr {$scenario(rate_mbps) * 1e6}] \
            $scenario(delay_s) $queue_class($scheme)
        set_queue $router($hop) $router($next) $scheme
        set_queue $router($next) $router($hop) $scheme
    }
}

proc make_host {place rate_mbps} {
    global ns scenario router
    set host [$ns node]
    $ns duplex-link $host $router($place) [expr {$rate_mbps * 1e6}] $scenario(delay_s) DropTail
    [[$ns link $host $router($place)] queue] set limit_ $scenario(access_packets)
    [[$ns link $router($place) $host] queue] set limit_ $scenario(access_packets)
    return $host
}

proc delay_law {connections end} {
    set law [new RandomVariable/PackMimeHTTPXmit $connections $end]
    $law use-rng [new RNG]
    return $law
}

# A cloud whose servers hang on one router and whose clients hang on another, two nodes each.
proc make_cloud {name server_router client_router connections} {
    global ns scenario options router cloud senders name_of
    set cloud($name) [new PackMimeHTTP]
    $cloud($name) set-TCP Newreno
    $cloud($name) set-rate $connections
    $cloud($name) set-http-1.1
    set client_law [delay_law $connections 0]
    set server_law [delay_law $connections 1]
    for {set node 0} {$node < 2} {incr node} {
        set client [make_host $client_router $scenario(cloud_mbps)]
        set server [make_host $server_router $scenario(cloud_mbps)]
        $cloud($name) set-client $client
        $cloud($name) set-server $server
        $router($client_router) add-rule [$client id] [$server id] $client_law
        $router($server_router) add-rule [$client id] [$server id] $server_law
        lappend senders($name) [$server id]
    }
    if {$options(responses) ne ""} { $cloud($name) set-outfile $options(responses).$name }
    if {$scenario(server_s) > 0} {
        set time [new RandomVariable/Constant]
        $time set val_ $scenario(server_s)
        $cloud($name) set-server_delay $time
    }
    if {$options(record) ne ""} {
        set name_of($cloud($name)) $name
        $cloud($name) set-samples-outfile $options(record).samples.$name
    }
    $ns at 0.0 "$cloud($name) start"
}

# Of every connection: its cloud, number, start, the server's node and port, the client's node. ns calls `setup-tcp` for the
# end of the server and then for that of the client.
proc record_connections {} {
    global options router connections
    if {$options(record) eq ""} return
    set connections [open $options(record).connections w]
    foreach place [array names router] { $router($place) set-delay-file $options(record).delays.$place }
    PackMimeHTTP instproc setup-tcp {tcp number} {
        global ns connections name_of server_end
        $tcp set fid_ $number
        $tcp proc done {} "$self done $tcp"
        if {[info exists server_end]} {
            puts $connections [format "%s %d %.6f %s %s" $name_of($self) $number [$ns now] $server_end [$tcp set agent_addr_]]
            unset server_end
        } else {
            set server_end "[$tcp set agent_addr_] [$tcp set agent_port_]"
        }
    }
}

proc make_clouds {} {
    global scenario
    make_cloud forward 0 $scenario(hops) $scenario(connections)
    make_cloud reverse $scenario(hops) 0 $scenario(connections)
    if {$scenario(cross_connections) <= 0} return
    foreach hop $scenario(congested_hops) {
        set next [expr {$hop + 1}]
        make_cloud cross-$hop-forward $hop $next $scenario(cross_connections)
        make_cloud cross-$hop-reverse $next $hop $scenario(cross_connections)
    }
}

proc make_long_lived {name from to} {
    global ns scenario senders flows starts
    set sources {}
    set sinks {}
    for {set node 0} {$node < 2} {incr node} {
        lappend sources [make_host $from $scenario(long_lived_mbps)]
        lappend sinks [make_host $to $scenario(long_lived_mbps)]
    }
    foreach source $sources { lappend senders($name) [$source id] }
    for {set flow 0} {$flow < $scenario(long_lived)} {incr flow} {
        set source [new Agent/TCP/FullTcp/Newreno]
        set sink [new Agent/TCP/FullTcp/Newreno]
        $ns attach-agent [lindex $sources [expr {$flow % 2}]] $source
        $ns attach-agent [lindex $sinks [expr {$flow % 2}]] $sink
        $ns connect $source $sink
        $sink listen
        set application [new Application/FTP]
        $application attach-agent $source
        $ns at [$starts uniform 0 1] "$application start"
        lappend flows($name) $source
    }
}

# ---------------------------------------------------------------------------
# Measuring
# ---------------------------------------------------------------------------

proc attach_monitors {} {
    global ns scenario router monitor
    foreach hop $scenario(congested_hops) {
        set next [expr {$hop + 1}]
        foreach {way from to} [list forward $hop $next reverse $next $hop] {
            set monitor($hop,$way) [$ns makeflowmon SrcDest 101]
            $ns attach-fmon [$ns link $router($from) $router($to)] $monitor($hop,$way)
        }
    }
}

# Packets of the senders of each part of the traffic, at the congested hops of one way.
proc read_counters {} {
    global monitor senders flows count
    foreach place [array names monitor] {
        set count(packets,$place) [$monitor($place) set pdepartures_]
        set count(arrived,$place) [$monitor($place) set parrivals_]
        set count(dropped,$place) [$monitor($place) set pdrops_]
        foreach part [array names senders] {
            set count(arrived,$place,$part) 0
            set count(dropped,$place,$part) 0
        }
        foreach flow [$monitor($place) flows] {
            foreach part [array names senders] {
                if {[lsearch $senders($part) [$flow set src_]] >= 0} {
                    incr count(arrived,$place,$part) [expr {int([$flow set parrivals_])}]
                    incr count(dropped,$place,$part) [expr {int([$flow set pdrops_])}]
                }
            }
        }
    }
    foreach part [array names flows] {
        set count(delivered,$part) 0
        foreach flow $flows($part) { incr count(delivered,$part) [expr {int([$flow set ack_])}] }
    }
}

proc start_measuring {} {
    global count before
    read_counters
    array set before [array get count]
}

proc during {name} {
    global count before
    return [expr {$count($name) - $before($name)}]
}

proc finish {} {
    global scenario count monitor senders flows
    read_counters
    set seconds [expr {$scenario(end_s) - $scenario(warmup_s)}]
    set packets 0
    foreach place [lsort [array names monitor]] {
        set packets [expr {$packets + $count(packets,$place)}]
        puts "result loss_percent,$place [expr {100.0 * [during dropped,$place] / [during arrived,$place]}]"
        foreach part [lsort [array names senders]] {
            set arrived [during arrived,$place,$part]
            if {$arrived > 0} {
                puts "result loss_percent,$place,$part [expr {100.0 * [during dropped,$place,$part] / $arrived}]"
            }
        }
    }
    foreach part [lsort [array names flows]] {
        puts "result goodput_kbps,$part [expr {8.0 * [during delivered,$part] / 1000 / $seconds}]"
    }
    puts "result packets_whole_run $packets"
    exit 0
}

# ---------------------------------------------------------------------------

read_command_line $argv
remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
$ns use-scheduler Heap
$defaultRNG seed $options(seed)
set_hosts
make_routers
record_connections
make_clouds
set starts [new RNG]
if {$scenario(long_lived) > 0} {
    make_long_lived long-lived-forward 0 $scenario(hops)
    make_long_lived long-lived-reverse $scenario(hops) 0
}
attach_monitors
$ns at $scenario(warmup_s) start_measuring
$ns at $scenario(end_s) finish
$ns run
