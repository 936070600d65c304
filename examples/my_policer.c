/* The guard of my_policer.py in C: a token bucket for each flow, in front of any scheme.
 *
 *     cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab scheme include)" my_policer.c -o my_policer.so
 */
#include "aqmlab_scheme.h"

enum { MOST_BUCKETS = 65536 };

typedef struct {
    double bytes_per_ns, burst_bytes, refused;
    uint64_t buckets;
    struct { double tokens; uint64_t filled_ns; } bucket[MOST_BUCKETS];
} state_t;

static const char *start(void *state, const double *values, const aqmlab_port *port) {
    (void)port;
    state_t *own = state;
    own->bytes_per_ns = values[0] / 8e3;
    own->burst_bytes = values[1];
    own->buckets = (uint64_t)values[2];
    for (uint64_t place = 0; place < own->buckets; place++)
        own->bucket[place].tokens = own->burst_bytes;
    return 0;
}

static int32_t admits(void *state, aqmlab_arrival *arrival) {
    state_t *own = state;
    uint64_t place = arrival->flow_hash % own->buckets;
    double filled = own->bucket[place].tokens
        + (double)(arrival->now_ns - own->bucket[place].filled_ns) * own->bytes_per_ns;
    own->bucket[place].filled_ns = arrival->now_ns;
    if (filled > own->burst_bytes)
        filled = own->burst_bytes;
    int32_t passes = filled >= arrival->bytes;
    own->bucket[place].tokens = passes ? filled - arrival->bytes : filled;
    own->refused += !passes;
    return passes ? AQMLAB_PASS : AQMLAB_DROP_FILTER;
}

static void observe(const void *state, double *values) { values[0] = ((const state_t *)state)->refused; }

static const aqmlab_parameter parameters[] = {
    {"flow_rate_mbps", "Rate of each flow.", AQMLAB_NUMBER, 1.0, 1e-3, 1e6},
    {"burst_bytes", "Bytes that a flow may send at once.", AQMLAB_INTEGER, 15000, 1500, 1e9},
    {"buckets", "Buckets into which flows are sorted by their hash.", AQMLAB_INTEGER, 1024, 1, MOST_BUCKETS},
};
static const char *const observed[] = {"refused_packets"};

const aqmlab_guard my_policer = {
    .version = AQMLAB_GUARD_VERSION,
    .meaning = "Drops what a flow sends beyond its rate and burst, whatever stands behind.",
    .parameters = parameters,
    .parameter_count = 3,
    .observed = observed,
    .observed_count = 1,
    .state_bytes = sizeof(state_t),
    .start = start,
    .admits = admits,
    .observe = observe,
};
