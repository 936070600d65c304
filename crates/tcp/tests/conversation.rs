//! Conversations: one endpoint under test, its peer and its clock written down as text.
//!
//! ```text
//! # comment
//! profile bsd45            the host's TCP; first line
//! set nagle = true         a change to it
//! open client|server       which end is under test; a server's conversation begins with a SYN
//! 0.000 connect            the application acts: connect, write BYTES, write BYTES and close, write unlimited, close
//! 0.000 timer              the timer is asked, due or not
//! 0.000 > SYN 0:0          the endpoint sends this now; every segment sent must be listed
//! 0.080 < SYN 0:0 ack 1    this segment arrives; `CE` at the end: it was marked on the way; `ECT`: it could have been
//! 0.080 = cwnd 2920        window in bytes; also ssthresh, rate (of delivery, in bits of packets a second), delivered, acknowledged, reductions (on marks), recoveries, timeouts (all in total), and the
//!                          facts established, peer-closed, finished, gave-up, reset, quiet (no timer runs)
//! ```
//!
//! Times are seconds. Segments read as `Segment`'s own display: flags, first byte, one past the last byte,
//! what is acknowledged, what is unread, `ECT`; then their options,
//! ` sack 2001:3001 ts 120 echo 20 e1b 1 ceb 0 e0b 1`. Ticks fall on whole multiples of the tick. Arrivals
//! come before timers of the same instant.

mod replay;

use replay::script::Script;

fn play(name: &str, text: &str) {
    let script = Script::new(text);
    let mut stage = script.stage();
    for (number, line) in script.events() {
        stage.line(line).unwrap_or_else(|error| panic!("{name}, line {number}: {line}\n  {error}"));
    }
    stage.nothing_unexpected().unwrap_or_else(|error| panic!("{name}, at the end: {error}"));
}

macro_rules! conversations {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            play(stringify!($name), include_str!(concat!("conversations/", stringify!($name), ".txt")));
        })*

        /// A file that stands in no line below would never be played.
        #[test]
        fn every_file_is_played() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conversations");
            let mut found: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
                .collect();
            let mut played = vec![$(stringify!($name)),*];
            found.sort_unstable();
            played.sort_unstable();
            assert_eq!(found, played);
        }
    };
}

conversations! {
    a_bsd45_client_opens_asks_and_closes
    a_bsd45_server_opens_with_two_segments_and_carries_the_fin_on_the_last
    a_client_opens_with_the_acknowledgement_of_its_own_syn
    a_closed_end_resets_what_is_sent_to_it
    a_fin_ahead_of_missing_data_waits_for_them
    a_fin_beyond_two_holes_waits_for_both
    a_hole_of_one_byte_is_a_hole
    a_listener_opens_for_a_syn_alone
    a_lost_fin_is_sent_again
    a_lost_syn_ack_is_repeated_by_timer_and_on_a_repeated_syn
    a_lost_syn_is_repeated_at_3_6_9_12_15_21_33_57_and_given_up_at_75
    a_lost_window_update_is_waited_for_five_seconds
    a_reader_before_acknowledgements_leaves_the_window_alone
    a_reader_of_each_segment_answers_two_of_three
    a_reset_before_the_peer_has_closed_is_an_abort
    a_reset_is_an_acknowledgement_to_a_closed_end_and_an_abort_to_an_open_one
    a_server_opens_with_the_acknowledgement_of_its_own_syn
    a_server_with_ecn_offers_none_that_was_not_asked_for
    a_server_without_ecn_declines_it
    a_stray_fin_after_the_end_is_acknowledged
    a_window_update_is_no_duplicate_and_opens_the_window
    a_writer_without_end_always_has_data
    an_aborted_end_owes_no_acknowledgement
    an_early_call_of_the_timer_does_nothing
    an_open_client_acknowledges_a_repeated_syn_ack
    an_open_end_is_aborted_by_a_reset
    bsd228_acknowledges_two_segments_of_bytes_at_once_and_less_at_the_machine_tick
    bsd228_any_new_acknowledgement_ends_fast_recovery
    bsd228_cuts_a_small_write_after_100_bytes_and_nagle_holds_the_rest
    bsd228_hands_over_clusters_where_a_segment_is_longer
    bsd228_judges_each_cluster_by_itself_without_nagle
    bsd228_keeps_what_a_client_writes_before_the_connection_is_open
    bsd228_leaves_a_repeated_syn_to_the_timer_of_its_syn_ack
    bsd228_reads_before_it_acknowledges_what_is_in_order_and_after_what_fills_a_hole
    bsd228_repeats_a_lost_syn_on_its_half_second_ticks_and_gives_up_at_75
    bsd228_server_sends_its_first_cluster_and_waits_before_the_rest
    bsd45_announces_nothing_after_the_last_cluster
    bsd45_delays_an_acknowledgement_to_a_tick
    bsd45_delays_the_first_acknowledgement_100_ms_and_sends_the_second_at_once
    bsd45_fast_retransmit_fills_one_hole_per_round_trip
    bsd45_halves_in_whole_segments
    bsd45_keeps_what_a_server_writes_before_the_connection_is_open
    bsd45_leaves_recovery_with_the_threshold_if_as_much_is_outstanding
    bsd45_leaves_recovery_with_what_is_outstanding_and_one_more
    bsd45_repeats_a_lost_fin_with_its_data_and_with_no_others
    bsd45_restarts_the_timer_at_a_partial_acknowledgement
    bsd45_restarts_with_one_segment_after_an_idle_timeout
    bsd45_restarts_with_the_whole_initial_window
    bsd45_server_keeps_its_window_because_the_request_has_just_arrived
    bsd45_takes_no_sample_from_a_retransmission
    bsd45_tells_of_a_window_that_reading_has_moved_by_half_of_the_buffer
    bsd45_tells_of_a_window_that_reading_has_moved_by_two_segments
    bsd45_timeouts_double_from_one_second_to_64_and_then_reset
    ecn_a_mark_on_a_pure_acknowledgement_is_not_echoed
    ecn_accurate_agrees_twice_and_then_to_none
    ecn_accurate_asks_twice_and_then_for_none
    ecn_accurate_counts_bytes_by_their_codepoint
    ecn_accurate_counts_the_packets_that_were_marked
    ecn_accurate_dctcp_halves_at_its_first_mark_and_once_in_a_round
    ecn_accurate_dctcp_weighs_the_marks_of_each_round
    ecn_accurate_declines_what_only_reflects
    ecn_accurate_echoes_to_a_peer_that_has_no_more
    ecn_accurate_gives_up_what_is_always_marked
    ecn_accurate_hears_from_bytes_how_often_the_field_went_round
    ecn_accurate_keeps_its_count_where_a_syn_comes_again_without_it
    ecn_accurate_reflects_a_mark_of_the_syn
    ecn_accurate_reflects_and_counts_a_mark_of_the_syn_ack
    ecn_accurate_sends_nothing_capable_where_codepoints_change
    ecn_accurate_sends_nothing_capable_where_its_field_was_cleared
    ecn_accurate_sends_nothing_capable_where_no_count_grows
    ecn_accurate_sends_nothing_capable_where_the_handshake_is_marked
    ecn_accurate_takes_an_echo_from_a_peer_that_has_no_more
    ecn_accurate_tells_of_data_that_are_not_capable
    ecn_bsd45_by_rfc3168_repairs_a_loss_in_the_marked_window_without_a_second_cut
    ecn_bsd45_halves_once_per_window_and_tells_with_the_next_segment
    ecn_is_given_up_after_a_lost_syn_where_asked
    ecn_kame_repairs_a_loss_in_the_marked_window_by_timeout
    ecn_kame_takes_no_notice_at_one_segment
    ecn_kame_takes_no_notice_of_a_mark_beside_cwr
    ecn_kame_takes_the_echo_of_a_window_update_for_a_second_mark
    ecn_kame_with_the_floor_of_a_loss_never_goes_below_two_segments
    ecn_ns2_a_delaying_sink_echoes_the_mark_of_the_packet_that_it_has_kept
    ecn_ns2_full_a_receiver_tells_of_a_reduction_on_an_acknowledgement
    ecn_ns2_full_below_a_segment_the_timer_lets_one_out
    ecn_ns2_full_cuts_once_per_window_and_tells_with_the_next_segment
    ecn_rfc3168_a_cwr_ends_the_echo_of_a_mark_not_yet_acknowledged
    ecn_rfc3168_a_loss_beyond_the_marked_window_is_a_second_cut
    ecn_rfc3168_a_loss_in_the_marked_window_is_repaired_without_a_second_cut
    ecn_rfc3168_a_mark_beside_cwr_is_a_new_one
    ecn_rfc3168_an_exact_echo_follows_each_segment
    ecn_rfc3168_waits_for_the_timer_at_one_segment
    ecn_the_receiver_echoes_until_it_hears_cwr
    half_the_window_of_the_peer_is_worth_a_segment
    linux_a_delayed_segment_takes_nothing_back_while_a_retransmission_is_out
    linux_a_duplicate_of_what_was_sent_once_is_no_proof
    linux_a_duplicate_takes_a_recovery_back_while_it_lasts
    linux_a_duplicate_takes_a_reduction_back_when_the_recovery_is_over
    linux_a_duplicate_widens_the_window_of_reordering
    linux_a_late_retransmission_that_ends_the_next_recovery_takes_nothing_back
    linux_a_loss_is_told_on_the_next_new_data
    linux_a_loss_that_a_probe_has_repaired_is_told_on_the_next_new_data
    linux_a_lost_syn_waits_for_slots_of_the_kernels_wheel
    linux_a_paced_window_leaves_twice_as_fast_as_it_is_acknowledged_and_without_a_pace_at_once
    linux_a_pause_halves_the_window_once_for_each_timeout_beyond_the_first
    linux_a_probe_that_alone_arrives_stands_for_a_loss
    linux_a_probe_that_arrives_beside_its_original_stands_for_no_loss
    linux_a_receiver_repeats_a_block_that_others_outgrow
    linux_a_receiver_reports_what_arrived_last_and_a_duplicate_once
    linux_a_reduction_on_an_echo_lasts_until_more_than_its_window_is_acknowledged
    linux_a_repeated_syn_is_answered_with_the_stamp_of_the_first
    linux_a_repeated_timeout_keeps_the_threshold_and_is_tested_for_a_mistake
    linux_a_retransmission_of_the_recovery_before_is_no_proof_against_the_next
    linux_a_second_timeout_after_progress_is_a_reduction_of_its_own
    linux_a_single_report_is_waited_on_for_a_quarter_of_the_round_trip
    linux_a_timeout_after_progress_is_not_tested_for_a_mistake
    linux_a_timeout_in_a_recovery_is_not_tested_for_a_mistake
    linux_a_timeout_is_taken_back_when_originals_are_acknowledged
    linux_a_timeout_is_told_on_the_next_new_data
    linux_a_timeout_of_lost_data_is_not_taken_back
    linux_a_timeout_waits_for_a_slot_of_the_kernels_wheel
    linux_a_timestamp_tells_that_a_timeout_was_none
    linux_a_timestamp_tells_the_round_trip_after_a_lost_syn
    linux_acknowledges_each_of_sixteen_segments_and_then_what_exceeds_one
    linux_an_acknowledgement_below_una_still_tells_what_has_arrived
    linux_an_advance_and_a_hole_in_one_acknowledgement_are_no_reordering
    linux_an_echo_in_a_recovery_lets_its_reduction_stand
    linux_an_echo_lets_the_window_shrink_to_what_is_in_the_network_and_what_arrived
    linux_an_overtaken_acknowledgement_with_an_older_timestamp_is_not_looked_at
    linux_answers_a_probe_of_its_window
    linux_asks_a_closed_window_after_the_timeout_and_twice_as_long_each_time
    linux_asks_for_no_ecn_in_a_syn_that_it_sends_again
    linux_dctcp_without_ecn_takes_its_first_acknowledgement_for_no_mark
    linux_doubles_its_delay_where_an_acknowledgement_has_waited_it_out
    linux_fills_a_window_that_admits_less_than_a_segment_after_the_timeout
    linux_half_of_a_window_does_not_let_it_grow
    linux_keeps_ecn_in_an_answer_to_a_syn_that_it_sends_again
    linux_keeps_ecn_where_the_answer_to_its_syn_was_lost
    linux_keeps_its_first_window_after_one_lost_syn
    linux_keeps_its_first_window_where_only_answers_to_its_syn_were_lost
    linux_limited_transmit_and_then_it_was_reordering
    linux_more_duplicates_than_retransmissions_prove_nothing
    linux_nine_of_ten_segments_let_the_window_grow_to_eighteen
    linux_opens_with_one_segment_after_two_lost_syns
    linux_paced_retransmissions_leave_when_their_turn_comes
    linux_probes_the_tail_times_out_and_climbs_back_to_the_window_of_the_loss
    linux_reordering_beyond_three_segments_lets_reports_open_the_window
    linux_repairs_four_losses_of_ten_in_a_round_trip
    linux_repairs_one_loss_of_ten_with_a_segment_for_each_that_arrives
    linux_repeats_a_lost_syn_five_times_in_five_seconds_and_gives_up_at_131
    linux_reports_beyond_a_hole_three_times_and_then_together
    linux_reports_of_an_overlapping_segment_what_had_arrived
    linux_server_keeps_its_first_window_after_one_lost_answer
    linux_server_keeps_its_first_window_where_no_timer_fired
    linux_server_opens_with_one_segment_after_two_lost_answers
    linux_shrinks_its_window_in_proportion_and_grows_back_below_the_threshold
    linux_slow_start_grows_by_what_is_acknowledged
    linux_the_delivery_rate_is_that_of_the_path_after_two_round_trips
    linux_the_duplicate_of_a_probe_is_no_reordering
    linux_the_timer_starts_afresh_while_older_data_arrive_than_the_retransmission
    linux_three_duplicates_are_a_loss_without_rack
    linux_three_reports_of_the_same_instant_are_a_loss
    linux_what_had_only_been_delayed_is_reordering_from_then_on
    linux_what_is_restored_is_three_quarters_of_the_window_at_the_least
    linux_what_was_counted_towards_the_next_segment_ends_with_a_reduction
    linux_without_forward_recovery_everything_is_sent_again
    ns2_a_delaying_sink_takes_the_newest_packet_again_for_one_in_order
    ns2_deflates_by_what_a_partial_acknowledgement_covers_less_one
    ns2_full_a_closed_client_ignores_the_servers_fin_when_it_comes_again
    ns2_full_a_shorter_pause_leaves_the_window
    ns2_full_acknowledges_every_second_segment_where_asked
    ns2_full_acknowledges_the_syn_ack_before_its_request
    ns2_full_after_a_timeout_the_timer_keeps_the_back_off_of_before
    ns2_full_delays_acknowledgements_to_multiples_of_100_ms_and_counts_bytes
    ns2_full_first_syn_waits_six_seconds_where_asked
    ns2_full_holds_a_short_last_segment_for_each_segment_before_it
    ns2_full_mends_one_loss_in_a_round_trip
    ns2_full_mends_three_losses_in_three_round_trips
    ns2_full_mends_two_losses_in_two_round_trips
    ns2_full_repeats_its_syn_and_forgets_the_back_off_but_not_the_threshold
    ns2_full_restarts_after_a_pause_longer_than_the_timeout_without_its_minimum
    ns2_full_sends_a_single_segment_with_its_fin_at_once
    ns2_full_sends_its_fin_with_the_last_data_or_behind_their_acknowledgement
    ns2_full_sends_two_segments_per_call_in_recovery
    ns2_full_takes_duplicates_after_a_timeout_for_recovery_without_a_retransmission
    ns2_full_waits_six_seconds_and_a_fifth_where_asked
    ns2_has_nothing_to_repeat_when_everything_is_acknowledged
    ns2_inflates_nothing_once_recovery_is_over
    ns2_is_over_when_its_last_byte_is_acknowledged
    ns2_keeps_its_back_off_at_a_partial_acknowledgement_of_what_was_not_timed
    ns2_limited_transmit_counts_a_short_segment_as_one
    ns2_limited_transmit_stays_below_a_broken_window
    ns2_limited_transmit_stays_within_the_window
    ns2_retransmits_the_first_data_packet_even_after_a_timeout
    ns2_slow_start_ends_at_the_window
    ns2_waits_for_its_idle_timer_where_ecn_left_less_than_a_segment
    rfc5681_a_window_update_leaves_the_count_of_duplicates_alone
    rfc5681_an_old_acknowledgement_is_no_duplicate
    rfc5681_data_from_the_peer_are_no_duplicate_acknowledgements
    rfc5681_delays_an_acknowledgement_from_the_first_segment_on
    rfc5681_fast_retransmit_with_three_segments_halves_to_two
    rfc5681_halves_to_two_segments_at_least
    rfc5681_keeps_the_threshold_at_a_repeated_timeout
    rfc5681_lets_out_no_more_than_two_segments_for_old_duplicates
    rfc5681_limited_transmit_then_fast_retransmit_then_impatient_newreno
    rfc5681_newreno_is_impatient_with_many_holes
    rfc5681_newreno_takes_old_duplicates_for_no_loss_after_a_timeout
    rfc5681_refills_a_segment_at_a_partial_acknowledgement_of_one
    rfc5681_restarts_with_the_initial_window_after_more_than_a_timeout
    rfc5681_starts_with_one_segment_and_three_seconds_after_a_lost_syn
    rfc5681_without_limited_transmit_two_duplicates_do_not_continue_a_burst
    rfc5681_without_limited_transmit_two_duplicates_release_nothing
    what_comes_behind_a_fin_is_ignored
}
