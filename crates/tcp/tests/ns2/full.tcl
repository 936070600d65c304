# Prints what one conversation of full.py looks like in ns-2: a client and a server, two-way NewReno agents
# (Agent/TCP/FullTcp/Newreno), on a path without a queue. A line for every packet that either hands to the network: when,
# who, first byte, bytes of data, what it acknowledges, TCP's flags, and ns-2's own for echoes and reductions.
#
#   ns full.tcl start_s initial window rtt_ms first_rto_ms minimum_rto_ms nodelay every ecn end_s exchanges closes \
#       drops marks reply_drops reply_marks
#
# An exchange is a list: pause in s, bytes of the request, bytes of the response. The server answers when the request is
# there, in an event of its own; it closes with the last response, or never.

foreach {start_s initial window rtt_ms first_rto_ms minimum_rto_ms nodelay every ecn end_s exchanges closes drops marks \
        reply_drops reply_marks} $argv {}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 1e13 [expr {$rtt_ms / 2000.0}] DropTail
$ns queue-limit $left $right 100000
$ns queue-limit $right $left 100000
Trace set show_tcphdr_ 1

set client [new Agent/TCP/FullTcp/Newreno]
set server [new Agent/TCP/FullTcp/Newreno]
foreach agent [list $client $server] {
    foreach {name value} [list segsize_ 1460 window_ $window windowInit_ $initial ecn_ $ecn \
            minrto_ [expr {$minimum_rto_ms / 1000.0}] maxrto_ 60 rtxcur_init_ [expr {$first_rto_ms / 1000.0}] \
            tcpTick_ 0.01 overhead_ 0 nodelay_ $nodelay segsperack_ $every interval_ 0.1] {
        $agent set $name $value
    }
}
$ns attach-agent $left $client
$ns attach-agent $right $server
$ns connect $client $server
$server listen

Class Application/Asks -superclass Application
Class Application/Answers -superclass Application
set place 0
set served 0
set asked 0
set got 0
set owed 0
set wanted [lindex [lindex $exchanges 0] 1]

proc ask {} {
    set exchange [lindex $::exchanges $::asked]
    incr ::asked
    set ::owed [expr {$::owed + [lindex $exchange 2]}]
    $::client advance-bytes [lindex $exchange 1]
}

Application/Asks instproc recv {bytes} {
    incr ::got $bytes
    if {$::got < $::owed || $::asked >= [llength $::exchanges]} return
    set pause [lindex [lindex $::exchanges $::asked] 0]
    $::ns at [expr {[$::ns now] + $pause}] ask
}

proc answer {bytes last} {
    if {$last} { $::server sendmsg $bytes MSG_EOF } else { $::server advance-bytes $bytes }
}

Application/Answers instproc recv {bytes} {
    incr ::place $bytes
    while {$::served < [llength $::exchanges] && $::place >= $::wanted} {
        set response [lindex [lindex $::exchanges $::served] 2]
        incr ::served
        set last [expr {$::closes && $::served == [llength $::exchanges]}]
        $::ns at [$::ns now] "answer $response $last"
        if {$::served < [llength $::exchanges]} { incr ::wanted [lindex [lindex $::exchanges $::served] 1] }
    }
}

set asks [new Application/Asks]
set answers [new Application/Answers]
$asks attach-agent $client
$answers attach-agent $server
# ns-2 looks for `recv` when an application starts.
$asks start
$answers start

# The markers stand in front of the queues and the droppers behind them: the traces of the queues show every packet.
proc listed {packets} {
    set model [new ErrorModel/List]
    $model unit pkt
    $model droplist $packets
    $model drop-target [new Agent/Null]
    return $model
}
foreach {from to lost marked} [list $left $right $drops $marks $right $left $reply_drops $reply_marks] {
    if {[llength $marked] > 0} {
        set marker [listed $marked]
        $marker set markecn_ true
        [$ns link $from $to] errormodule $marker
    }
    if {[llength $lost] > 0} { $ns link-lossmodel [listed $lost] $from $to }
}

proc print_and_exit {name} {
    close $::raw
    set raw [open $name r]
    while {[gets $raw line] >= 0} {
        foreach {what at from to type size flags flow source target sequence unique acknowledged tcp header sack} $line {}
        if {$what ne "+"} continue
        puts "$at $from $sequence [expr {$size - $header}] $acknowledged $tcp $flags"
    }
    flush stdout
    file delete $name
    exit 0
}

set name [format "%s.%d.raw" [file rootname [info script]] [pid]]
set raw [open $name w]
$ns trace-queue $left $right $raw
$ns trace-queue $right $left $raw
$ns at $start_s ask
$ns at $end_s "print_and_exit $name"
$ns run
