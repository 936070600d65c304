# Prints what one conversation of matrix.py looks like in ns-2: a one-way NewReno agent on a path without a queue. A
# line for every packet that the sender hands to the network: when, which, and `CWR` if it says that the window was
# reduced.
#
#   ns matrix.tcl initial window rtt_ms minimum_rto_ms limited every ecn packets more at end_s drops marks ack_drops

foreach {initial window rtt_ms minimum_rto_ms limited every ecn packets more at end_s drops marks ack_drops} $argv {}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
# So fast that sending takes no time. A hundred nanoseconds more each way settle what comes first where a timer and a packet
# are due together: what has crossed the path less often.
$ns duplex-link $left $right 1e13 [expr {$rtt_ms / 2000.0 + 1e-7}] DropTail
$ns queue-limit $left $right 100000
$ns queue-limit $right $left 100000

set sender [new Agent/TCP/Newreno]
foreach {name value} [list packetSize_ 960 window_ $window windowInit_ $initial ecn_ $ecn \
        minrto_ [expr {$minimum_rto_ms / 1000.0}] maxrto_ 60 rtxcur_init_ 3.0 tcpTick_ 0.01 \
        singledup_ $limited overhead_ 0] {
    $sender set $name $value
}
if {$every == 2} {
    set sink [new Agent/TCPSink/DelAck]
    $sink set interval_ 0.1
} else {
    set sink [new Agent/TCPSink]
}
$ns attach-agent $left $sender
$ns attach-agent $right $sink
$ns connect $sender $sink

# The marker stands in front of the queue and the droppers behind it: the trace of the queue shows every packet.
proc listed {packets} {
    set model [new ErrorModel/List]
    $model unit pkt
    $model droplist $packets
    $model drop-target [new Agent/Null]
    return $model
}
if {[llength $marks] > 0} {
    set marker [listed $marks]
    $marker set markecn_ true
    [$ns link $left $right] errormodule $marker
}
if {[llength $drops] > 0} { $ns link-lossmodel [listed $drops] $left $right }
if {[llength $ack_drops] > 0} { $ns link-lossmodel [listed $ack_drops] $right $left }

proc print_and_exit {name} {
    close $::raw
    set raw [open $name r]
    while {[gets $raw line] >= 0} {
        if {[lindex $line 0] ne "+"} continue
        set reduced [expr {[string first A [lindex $line 6]] >= 0 ? " CWR" : ""}]
        puts "[lindex $line 1] [lindex $line 10]$reduced"
    }
    exit 0
}

set name [format "/tmp/ns2-matrix-%d.raw" [pid]]
set raw [open $name w]
$ns trace-queue $left $right $raw
$ns at 0.0 "$sender advanceby $packets"
if {$more > 0} { $ns at $at "$sender advanceby $more" }
$ns at $end_s "print_and_exit $name"
$ns run
