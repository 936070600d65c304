/* The scheduler of my_slots.py in C: queues take turns in a fixed cycle (time division), as in IEEE 802.1Qbv.
 *
 *     cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab scheme include)" my_slots.c -o my_slots.so
 */
#include "aqmlab_scheme.h"

typedef struct {
    uint64_t slot_ns;
    double waited_for;
    uint32_t slots;
} state_t;

static uint32_t queues(const double *values) { return (uint32_t)values[0]; }

static const char *start(void *state, const double *values, const aqmlab_port *port) {
    (void)port;
    state_t *own = state;
    own->slots = (uint32_t)values[0];
    own->slot_ns = (uint64_t)(values[1] * 1e6 + 0.5);
    own->waited_for = 0;
    return 0;
}

static uint32_t classify(void *state, aqmlab_turn *turn) {
    return turn->flow_hash % ((const state_t *)state)->slots;
}

static int64_t next(void *state, aqmlab_turn *turn) {
    state_t *own = state;
    uint64_t now = turn->now_ns / own->slot_ns, ahead = 1;
    uint32_t present = (uint32_t)(now % own->slots);
    if (turn->packets(turn->queues, present) > 0)
        return present;
    while (turn->packets(turn->queues, (uint32_t)((now + ahead) % own->slots)) == 0)
        ahead++;
    own->waited_for++;
    turn->at_ns = (now + ahead) * own->slot_ns;
    return AQMLAB_AT;
}

static void observe(const void *state, double *values) { values[0] = ((const state_t *)state)->waited_for; }

static const aqmlab_parameter parameters[] = {
    {"slots", "Slots of a cycle, one for each queue.", AQMLAB_INTEGER, 4, 1, 64},
    {"slot_ms", "Length of a slot.", AQMLAB_NUMBER, 2.0, 0.001, 1000},
};
static const char *const observed[] = {"slots_waited_for"};

const aqmlab_scheduler my_slots = {
    .version = AQMLAB_SCHEDULER_VERSION,
    .meaning = "Each queue begins to send only in its slot of a cycle; flows are sorted into queues by their hash.",
    .parameters = parameters,
    .parameter_count = 2,
    .observed = observed,
    .observed_count = 1,
    .state_bytes = sizeof(state_t),
    .start = start,
    .queues = queues,
    .classify = classify,
    .next = next,
    .observe = observe,
};
