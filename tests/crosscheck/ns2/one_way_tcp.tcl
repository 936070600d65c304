# The one-way senders and their sinks, of dumbbell.tcl and red_pd.tcl alike: the host profile ns2-oneway. Every parameter is
# set, never left at the default of the ns package.

# Agent/TCP/Newreno. windowInitOption_ 1 means "windowInit_ packets".
array set tcp {
    packetSize_                960
    tcpip_base_hdr_size_       40
    useHeaders_                true
    window_                    100000
    windowInit_                2
    windowInitOption_          1
    windowOption_              1
    windowConstant_            4
    windowThresh_              0.002
    syn_                       true
    delay_growth_              true
    max_connects_              -1
    maxburst_                  0
    aggressive_maxburst_       1
    maxcwnd_                   0
    max_ssthresh_              0
    increase_num_              1.0
    decrease_num_              0.5
    k_parameter_               0.0
    l_parameter_               1.0
    precisionReduce_           true
    numdupacks_                3
    numdupacksFrac_            -1
    singledup_                 1
    LimTransmitFix_            false
    noFastRetrans_             false
    exitFastRetrans_           true
    lessCareful_               false
    oldCode_                   false
    newreno_changes_           0
    newreno_changes1_          1
    partial_window_deflation_  1
    exit_recovery_fix_         0
    partial_ack_               false
    bugFix_                    true
    bugFix_ack_                false
    bugFix_ts_                 false
    bugfix_ss_                 1
    restart_bugfix_            true
    slow_start_restart_        true
    QOption_                   0
    EnblRTTCtr_                0
    control_increase_          0
    CoarseTimer_               0
    tcpTick_                   0.01
    minrto_                    0.2
    maxrto_                    60
    rtxcur_init_               3.0
    srtt_init_                 0
    rttvar_init_               12
    rttvar_exp_                2
    T_SRTT_BITS                3
    T_RTTVAR_BITS              2
    rfc2988_                   true
    updated_rttvar_            true
    timerfix_                  true
    timestamps_                false
    ts_option_size_            10
    ts_resetRTO_               false
    frto_enabled_              0
    sfrto_enabled_             0
    spurious_response_         1
    overhead_                  0
    ecn_                       0
    old_ecn_                   0
    eln_                       0
    SetCWRonRetransmit_        true
    qs_enabled_                false
    tcp_qs_recovery_           true
}

# Agent/TCPSink: one ACK for every packet, none delayed.
array set sink {
    packetSize_              40
    maxSackBlocks_           0
    generateDSacks_          false
    RFC2581_immediate_ack_   true
    SYN_immediate_ack_       true
    ecn_syn_                 false
    ts_echo_bugfix_          true
    ts_echo_rfc1323_         false
    qs_enabled_              false
}
