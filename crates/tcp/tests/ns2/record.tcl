# Records what ns-2's one-way NewReno agent sends on a path without a queue: two nodes, a link so fast that sending
# takes no time, 100 ms each way. The tables beside this file were made by it with ns 2.35 (Debian 2.35+dfsg):
#
#   for name in $(grep -v '^#' scenarios.txt | cut -d' ' -f1); do ns record.tcl scenarios.txt $name; done
#
# A scenario is a line: name, initial window, packets to send, then lists of packets (counted as they are offered to the link) to
# drop, to mark, and acknowledgements to drop; then a second write: how many packets, and when.

proc set_up {initial ecn} {
    global ns sender sink forward backward
    set ns [new Simulator]
    set left [$ns node]
    set right [$ns node]
    $ns duplex-link $left $right 1e13 100ms DropTail
    $ns queue-limit $left $right 100000
    $ns queue-limit $right $left 100000
    set sender [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $sender set packetSize_ 960
    $sender set window_ 20
    $sender set windowInit_ $initial
    $sender set ecn_ $ecn
    $sender set minrto_ 0.2
    $sender set rtxcur_init_ 3.0
    $sender set tcpTick_ 0.01
    $sender set singledup_ 1
    $sender set overhead_ 0
    $ns attach-agent $left $sender
    $ns attach-agent $right $sink
    $ns connect $sender $sink
    set forward [list $left $right]
    set backward [list $right $left]
}

# The marker stands in front of the queue and the dropper behind it, so that the trace of the queue shows every
# packet that the sender sent.
proc list_of {packets} {
    set model [new ErrorModel/List]
    $model unit pkt
    $model droplist $packets
    $model drop-target [new Agent/Null]
    return $model
}

proc drop_listed {link packets} {
    if {[llength $packets] > 0} {
        $::ns link-lossmodel [list_of $packets] [lindex $link 0] [lindex $link 1]
    }
}

proc mark_listed {link packets} {
    if {[llength $packets] > 0} {
        set model [list_of $packets]
        $model set markecn_ true
        [$::ns link [lindex $link 0] [lindex $link 1]] errormodule $model
    }
}

proc record {name initial packets drops marks ack_drops more at} {
    global ns sender forward backward
    set_up $initial [expr {[llength $marks] > 0}]
    set raw [open /tmp/$name.raw w]
    $ns trace-queue [lindex $forward 0] [lindex $forward 1] $raw
    mark_listed $forward $marks
    drop_listed $forward $drops
    drop_listed $backward $ack_drops
    $ns at 0.0 "$sender advanceby $packets"
    if {$more > 0} {
        $ns at $at "$sender advanceby $more"
    }
    $ns at 200.0 "close $raw; write_table $name; exit 0"
    $ns run
}

# Of the queue's trace, what arrives: when, which packet, and whether it says that the window was reduced.
proc write_table {name} {
    set raw [open /tmp/$name.raw r]
    set table [open $name.txt w]
    while {[gets $raw line] >= 0} {
        if {[lindex $line 0] ne "+"} continue
        set reduced [expr {[string first A [lindex $line 6]] >= 0 ? " CWR" : ""}]
        puts $table "[lindex $line 1] [lindex $line 10]$reduced"
    }
    close $table
}

set file [open [lindex $argv 0] r]
while {[gets $file line] >= 0} {
    if {[lindex $line 0] eq [lindex $argv 1]} {
        foreach {name initial packets drops marks ack_drops more at} $line {}
        record $name $initial $packets $drops $marks $ack_drops $more $at
    }
}
