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

/* A key of the queue's table in a scenario. Limits of the queue and `ecn` are there already. */
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
    uint64_t state_bytes;        /* memory that each port has for the scheme; zero when start is called */
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

#endif
