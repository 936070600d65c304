/* A congestion controller in C (or in anything that compiles to C functions), for aqmlab.
 *
 * Define a variable of the type aqmlab_controller, compile to a shared library, and name both in a scenario:
 *
 *     host = { congestion = "my_aimd.so:my_aimd" }
 *
 * Compile with -ffp-contract=off: then the same seed gives the same run on every machine. A function is told a fact and answers
 * by what it writes into `answers`; what it does not write stays as it was. Counts are in segments, instants and times in
 * nanoseconds; instants never decrease. What was lost, what is sent again and when, the sender decides. The functions are called
 * in one thread per connection, never in two at a time for one state.
 */
#ifndef AQMLAB_CONTROLLER_H
#define AQMLAB_CONTROLLER_H

#include "../schemes/aqmlab_scheme.h" /* parameters, AQMLAB_NEVER, random numbers */

#define AQMLAB_CONTROLLER_VERSION 0x30001u

/* What a controller may know of its host. */
typedef struct {
    uint32_t initial_window;
    uint32_t packet_bytes; /* an IP packet with a full segment */
    uint32_t pacing;       /* 1: its settings want segments to leave at a rate */
} aqmlab_host;

/* What a controller answers. An answer that is not legal ends the run. */
typedef struct {
    double window;           /* segments that may be in the network, 1 to 1e9; the whole ones count. At first the host's */
    double threshold;        /* the window up to which slow start lasts, 2 or more; infinite at first */
    double pacing_bps;       /* the rate at which segments leave, in bit/s of IP packets, 1 to 1e15; infinite, as at first: at
                                once. It counts with AQMLAB_PACES or where the host paces */
    uint32_t send_quantum;   /* segments that may leave in one instant of that pace, 1 or more; 1 at first */
    uint32_t limits_samples; /* with on_lost, 1: the controller limits what leaves now, so that rates say nothing of the path */
    uint64_t coins_key, coins_next; /* for aqmlab_uniform_for */
} aqmlab_answers;

/* The next uniform number in [0, 1) of the connection: the only random numbers that a controller may use, and not in start. */
static inline double aqmlab_uniform_for(aqmlab_answers *answers) {
    aqmlab_call call = {.coins_key = answers->coins_key, .coins_next = answers->coins_next};
    answers->coins_next++;
    return aqmlab_uniform(&call);
}

enum { AQMLAB_NO_FEEDBACK, AQMLAB_CLASSIC, AQMLAB_ACCURATE }; /* feedback: no ECN, RFC 3168, RFC 9768 */
enum {                                                        /* phase: what the sender is doing about congestion */
    AQMLAB_OPEN, AQMLAB_REDUCING, AQMLAB_RECOVERY, AQMLAB_LOSS /* nothing; after a mark, a loss, a timeout */
};
enum { AQMLAB_COMPLETE, AQMLAB_MISTAKEN, AQMLAB_AFTER_TIMEOUT }; /* how a reduction ended */

/* The connection is open, and nothing has been sent yet. */
typedef struct {
    uint64_t now_ns;
    uint64_t round_trip_ns;  /* of the handshake; AQMLAB_NEVER where none was measured */
    uint32_t active;         /* this end sent the first SYN */
    uint32_t syn_lost;       /* a SYN or SYN/ACK of this end was sent again */
    uint32_t reduces_window; /* for that reason the initial window is one segment (RFC 5681 section 3.1) */
    uint32_t feedback;       /* what acknowledgements tell of marks */
} aqmlab_opening;

/* A segment leaves. */
typedef struct {
    uint64_t now_ns;
    uint32_t again;     /* it was sent before */
    uint32_t in_flight; /* with it */
    uint32_t application_limited;
    uint32_t phase;
} aqmlab_sent;

/* A round trip has ended with an acknowledgement, of which the controller hears next. */
typedef struct {
    uint64_t now_ns, round_trip_ns;
    uint32_t round_begins; /* in slow start: everything is acknowledged that had been sent when this was last so */
} aqmlab_round_trip;

/* So many segments were delivered in so long. */
typedef struct {
    uint64_t interval_ns; /* 0: the acknowledgement does not tell, and all else is 0 */
    uint32_t segments;
    uint32_t application_limited; /* the application limited what left then: the path may be faster */
    uint32_t in_flight;           /* when the newest of them left, with it */
    uint32_t lost_since;
} aqmlab_delivery_rate;

/* An acknowledgement was processed, whatever the sender is doing. */
typedef struct {
    uint64_t now_ns;
    uint64_t delivered_ever; /* all that ever were reported to have arrived */
    uint64_t round_trip_ns;  /* AQMLAB_NEVER where it is ambiguous */
    aqmlab_delivery_rate delivery_rate;
    uint32_t delivered;     /* segments that it newly reports */
    uint32_t marked;        /* of these, as far as the peer tells (accurate ECN) */
    uint32_t lost;          /* segments that it shows to be lost */
    uint32_t in_flight;
    uint32_t advanced;      /* it acknowledges new data in order */
    uint32_t may_grow;      /* the window may grow with it (Linux tcp_may_raise_cwnd) */
    uint32_t window_unused; /* the application left so much of the window unused that it is no reason to open it */
    uint32_t window_full;   /* it was full at some time of the last round trip */
    uint32_t round_begins;  /* everything is acknowledged that had been sent when this was last so */
    uint32_t phase;
} aqmlab_acknowledged;

/* One segment is taken for lost, whoever has found that. */
typedef struct {
    uint64_t now_ns, delivered_ever;
    uint64_t place;      /* segments of new data sent before it */
    uint32_t in_flight;  /* when it left, with it */
    uint32_t lost_since; /* since it left, with it */
    uint32_t application_limited;
} aqmlab_lost_segment;

/* Segments were lost: a recovery begins. */
typedef struct {
    uint64_t now_ns;
    uint32_t in_flight;
    uint32_t reduced;  /* a mark has reduced the window for these data already */
    uint32_t repaired; /* a probe has repaired it, so that no recovery follows (RFC 8985 section 7.4.2) */
} aqmlab_loss;

/* The retransmission timer has expired: everything outstanding is taken for lost. */
typedef struct {
    uint64_t now_ns;
    uint32_t in_flight; /* segments that may still arrive, because they were sent a moment ago */
    uint32_t repeated;  /* a reduction for the same data came before it */
} aqmlab_timeout;

/* The peer has reported marks, for the first time in this window of data. */
typedef struct {
    uint64_t now_ns;
    uint32_t marked; /* packets; 1 where the peer tells only that there were some */
} aqmlab_marks;

enum { /* flags */
    AQMLAB_SENDS_ECT1 = 1,    /* its data are ECT(1) where ECN is on (RFC 9331); otherwise ECT(0) */
    AQMLAB_ACCURATE_ECN = 2,  /* its hosts have accurate ECN */
    AQMLAB_ANSWERS_MARKS = 4, /* it answers `marked` of acknowledgements; then accurate ECN brings no on_marks */
    AQMLAB_PACES = 8,         /* its hosts pace, whatever their settings */
};

typedef struct {
    uint32_t version; /* AQMLAB_CONTROLLER_VERSION */
    uint32_t flags;
    const char *meaning;
    const aqmlab_parameter *parameters; /* keys of the table in which a scenario names the controller */
    uint32_t parameter_count;
    uint64_t state_bytes; /* memory that each connection has for the controller; zero when start is called;
                             copied with the simulation: no address of itself, nothing allocated */
    /* Sets the state, and answers that are to be others at first; values are those of the parameters, in their order. Answers
     * NULL, or "KEY: what would be legal". Called for each connection, and for some host when a scenario is read. */
    const char *(*start)(void *state, const double *values, const aqmlab_host *host, aqmlab_answers *answers);
    /* What follows may be NULL. */
    void (*on_established)(void *state, const aqmlab_opening *opening, aqmlab_answers *answers);
    void (*on_sent)(void *state, const aqmlab_sent *sent, aqmlab_answers *answers);
    void (*on_round_trip)(void *state, const aqmlab_round_trip *round_trip, aqmlab_answers *answers);
    void (*on_acknowledged)(void *state, const aqmlab_acknowledged *acknowledged, aqmlab_answers *answers);
    /* With this function the controller models the path, as BBR does, and is told of each lost segment. */
    void (*on_lost)(void *state, const aqmlab_lost_segment *lost, aqmlab_answers *answers);
    void (*on_loss)(void *state, const aqmlab_loss *loss, aqmlab_answers *answers);
    void (*on_timeout)(void *state, const aqmlab_timeout *timeout, aqmlab_answers *answers);
    void (*on_marks)(void *state, const aqmlab_marks *marks, aqmlab_answers *answers);
    void (*on_recovered)(void *state, uint32_t how, aqmlab_answers *answers);
    /* So many retransmission timeouts have passed without data. */
    void (*on_idle)(void *state, uint32_t timeouts, aqmlab_answers *answers);
    /* For a timeout no more than these segments of the window were used. */
    void (*on_unused)(void *state, uint32_t used, aqmlab_answers *answers);
} aqmlab_controller;

#endif
