/* A queue management scheme in C (or in anything that compiles to C functions), for aqmlab.
 *
 * Define a variable of the type aqmlab_scheme, compile to a shared library, and name both in a scenario:
 *
 *     scheme = "my_red.so:my_red"
 *
 * Compile with -ffp-contract=off: then the same seed gives the same run on every machine. The functions are called in one
 * thread per port, never in two at a time for one state. Instants are nanoseconds since the run began and never decrease;
 * lengths exclude the packet on the link and the packet that is asked about.
 */
#ifndef AQMLAB_SCHEME_H
#define AQMLAB_SCHEME_H

#include <stdint.h>

#define AQMLAB_VERSION 1u
#define AQMLAB_NEVER UINT64_MAX /* an instant that is none */
#define AQMLAB_MOST_EVICTED 16

/* What becomes of a packet. A signal marks it if it can be marked and the queue has ecn; otherwise it drops it. */
enum {
    AQMLAB_PASS = 0,
    AQMLAB_SIGNAL_EARLY = 0x11,
    AQMLAB_SIGNAL_FORCED = 0x12,
    AQMLAB_DROP_EARLY = 0x21,
    AQMLAB_DROP_FORCED = 0x22,
    AQMLAB_DROP_MATCH = 0x23,
    AQMLAB_DROP_FILTER = 0x24,
    AQMLAB_EVICT_EARLY = 0x31, /* the packet passes, those at call->positions are discarded */
    AQMLAB_EVICT_MATCH = 0x33,
};

enum { AQMLAB_NOT_ECT, AQMLAB_ECT0, AQMLAB_ECT1, AQMLAB_CE }; /* codepoint */
enum {                                                         /* packet_class */
    AQMLAB_SYN, AQMLAB_SYN_ACK, AQMLAB_PURE_ACK, AQMLAB_FIN, AQMLAB_DATA, AQMLAB_RESET, AQMLAB_DATAGRAM
};

/* A packet that waits. */
typedef struct {
    uint64_t arrived_ns; /* AQMLAB_NEVER unless the scheme asks for instants */
    uint64_t flow;
    uint32_t bytes, codepoint, packet_class;
} aqmlab_packet;

/* The arguments of a function, valid while it runs. */
typedef struct {
    uint64_t now_ns;
    uint64_t arrived_ns; /* of a departing packet, if the scheme asks for instants; otherwise AQMLAB_NEVER */
    uint64_t flow;       /* equal for packets of one flow in one direction, as long as any of them wait */
    uint64_t queue_bytes;
    uint64_t coins_key, coins_next; /* for aqmlab_uniform */
    uint32_t queue_packets;
    uint32_t bytes; /* IP length */
    uint32_t codepoint, packet_class;
    uint32_t has_room; /* whether the queue has room for the packet */
    uint32_t evicted;  /* answer: how many of positions a DROP or EVICT discards as well */
    uint32_t positions[AQMLAB_MOST_EVICTED];
    const void *queue;
    int32_t (*waiting)(const void *queue, uint32_t position, aqmlab_packet *packet); /* 0: there is none */
} aqmlab_call;

/* The next uniform number in [0, 1) of the scheme's stream: the only random numbers that it may use. */
static inline double aqmlab_uniform(aqmlab_call *call) {
    uint64_t key = call->coins_key;
    uint64_t z = call->coins_next++ * UINT64_C(0x9e3779b97f4a7c15) + key;
    for (int round = 0; round < 2; round++) {
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
        if (round == 0)
            z ^= (key << 32) | (key >> 32);
    }
    return (double)(z >> 11) * (1.0 / 9007199254740992.0);
}

/* What a scheme may know of its port. */
typedef struct {
    uint64_t link_rate_bps;
    double timer_phase; /* periodic timers tick at (timer_phase + k) periods */
    uint64_t flow_salt;
} aqmlab_port;

enum { AQMLAB_NUMBER, AQMLAB_INTEGER, AQMLAB_FLAG };

/* A key of the queue's table in a scenario. Limits are there already, and `ecn` (of a scheduler or guard `inner`). */
typedef struct {
    const char *name, *meaning; /* the ending of the name is its unit */
    uint32_t kind;
    double fallback, least, most; /* default, and bounds that are legal; infinite where there is none */
} aqmlab_parameter;

enum { AQMLAB_NEEDS_ARRIVAL_INSTANTS = 1, AQMLAB_EVICTS = 2 }; /* flags */

typedef struct {
    uint32_t version; /* AQMLAB_VERSION */
    uint32_t flags;
    const char *meaning;
    const aqmlab_parameter *parameters;
    uint32_t parameter_count;
    uint32_t observed_count;
    const char *const *observed; /* names of what observe writes */
    uint64_t state_bytes;        /* memory that each port has for the scheme; zero when start is called;
                                    copied with the simulation: no address of itself, nothing allocated */
    /* Sets the state; values are those of the parameters, in their order. Answers NULL, or "KEY: what would be legal". */
    const char *(*start)(void *state, const double *values, const aqmlab_port *port);
    /* What follows may be NULL. */
    int32_t (*on_arrival)(void *state, aqmlab_call *call);
    int32_t (*on_departure)(void *state, aqmlab_call *call);
    void (*on_overflow)(void *state, const aqmlab_call *call);
    void (*on_room_made)(void *state, uint64_t now_ns, uint32_t packets);
    void (*on_idle)(void *state, uint64_t now_ns);
    /* In nanoseconds, AQMLAB_NEVER without one; more than 1,000 times within 1 ms ends the run. */
    uint64_t (*next_timer)(const void *state);
    void (*on_timer)(void *state, const aqmlab_call *call); /* at call->now_ns */
    double (*signal_probability)(const void *state);
    void (*observe)(const void *state, double *values);
} aqmlab_scheme;

/* A scheduler: sorts packets into queues, each under the scheme that the scenario gives as `inner`, and says which sends next. */

#define AQMLAB_SCHEDULER_VERSION 0x10001u
#define AQMLAB_AT (-1) /* of next: no queue has a turn before turn->at_ns */

/* The arguments of a scheduler's function, valid while it runs. */
typedef struct {
    uint64_t now_ns;
    uint64_t arrived_ns; /* of a departing packet, if the scheme of its queue asks for instants; otherwise AQMLAB_NEVER */
    uint64_t flow;
    uint64_t at_ns; /* answer of next, with AQMLAB_AT: an instant later than now_ns */
    uint32_t bytes, codepoint, packet_class;
    uint32_t flow_hash, dscp, source, destination; /* of classify: the header of the arrival */
    uint32_t queue;                                /* of on_queued and on_departure */
    uint32_t queue_count, waiting;                 /* queues, and packets that wait in all of them */
    uint32_t victim_from_head, victim_packets;     /* answers of victim: 0 and 1 unless it says otherwise */
    const void *queues;                            /* for the functions that follow; queues have numbers from 0 */
    uint32_t (*packets)(const void *queues, uint32_t queue);
    uint64_t (*queued_bytes)(const void *queues, uint32_t queue);
    int32_t (*head)(const void *queues, uint32_t queue, aqmlab_packet *packet); /* 0: the queue is empty */
} aqmlab_turn;

typedef struct {
    uint32_t version; /* AQMLAB_SCHEDULER_VERSION */
    uint32_t flags;   /* 0 */
    const char *meaning;
    const aqmlab_parameter *parameters;
    uint32_t parameter_count;
    uint32_t observed_count;
    const char *const *observed;
    uint64_t state_bytes;
    const char *(*start)(void *state, const double *values, const aqmlab_port *port); /* as of aqmlab_scheme */
    uint32_t (*queues)(const double *values);            /* how many queues there are, 1 to 65,536 */
    uint32_t (*classify)(void *state, aqmlab_turn *turn); /* the queue of an arrival */
    void (*on_queued)(void *state, aqmlab_turn *turn);   /* may be NULL, as all that follow but next */
    int64_t (*next)(void *state, aqmlab_turn *turn);     /* a queue, or AQMLAB_AT; asked only while packets wait */
    int32_t (*on_departure)(void *state, aqmlab_turn *turn); /* AQMLAB_PASS, a signal or a drop without positions */
    void (*on_sent)(void *state, uint64_t now_ns, uint32_t queue, uint32_t bytes);
    void (*on_empty)(void *state, uint64_t now_ns, uint32_t queue); /* it had nothing to send, or its scheme discarded it */
    uint32_t (*victim)(void *state, aqmlab_turn *turn); /* too much waits; NULL: the last packet of the queue with most bytes */
    void (*observe)(const void *state, double *values);
} aqmlab_scheduler;

/* A guard: stands in front of the scheme that the scenario gives as `inner`, and may refuse what arrives. */

#define AQMLAB_GUARD_VERSION 0x20001u

/* What became of a packet; a discard is AQMLAB_DISCARDED and its reason. */
enum { AQMLAB_QUEUED, AQMLAB_MARKED, AQMLAB_SENT, AQMLAB_DISCARDED = 16 };
enum { AQMLAB_OVERFLOW, AQMLAB_EARLY, AQMLAB_FORCED, AQMLAB_MATCH, AQMLAB_FILTER };

/* The arguments of a guard's function, valid while it runs. */
typedef struct {
    uint64_t now_ns;
    uint64_t flow;
    uint64_t queue_bytes;           /* what waits behind */
    uint64_t coins_key, coins_next; /* for aqmlab_uniform_of */
    uint32_t queue_packets;
    uint32_t bytes, codepoint, packet_class;
    uint32_t flow_hash, dscp, source, destination; /* of admits: the header of the arrival */
    uint32_t decision;                             /* of on_decision */
    const void *behind;
    double (*signal_probability)(const void *behind); /* of the scheme behind */
} aqmlab_arrival;

/* As aqmlab_uniform. */
static inline double aqmlab_uniform_of(aqmlab_arrival *arrival) {
    aqmlab_call call = {.coins_key = arrival->coins_key, .coins_next = arrival->coins_next};
    arrival->coins_next++;
    return aqmlab_uniform(&call);
}

typedef struct {
    uint32_t version; /* AQMLAB_GUARD_VERSION */
    uint32_t flags;   /* 0 */
    const char *meaning;
    const aqmlab_parameter *parameters;
    uint32_t parameter_count;
    uint32_t observed_count;
    const char *const *observed;
    uint64_t state_bytes;
    const char *(*start)(void *state, const double *values, const aqmlab_port *port); /* as of aqmlab_scheme */
    int32_t (*admits)(void *state, aqmlab_arrival *arrival); /* AQMLAB_PASS, AQMLAB_SIGNAL_EARLY, or a drop to refuse it */
    void (*on_decision)(void *state, const aqmlab_arrival *arrival); /* may be NULL, as all that follow */
    uint64_t (*next_timer)(const void *state);                       /* as of aqmlab_scheme */
    void (*on_timer)(void *state, const aqmlab_arrival *arrival);
    void (*observe)(const void *state, double *values);
} aqmlab_guard;

#endif
