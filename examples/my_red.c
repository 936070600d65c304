/* RED as in my_red.py, in C: cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab scheme include)" my_red.c -o my_red.so */
#include "aqmlab_scheme.h"
#include <math.h>

typedef struct {
    double min_th, max_th, w_q, max_p, slope, gentle_slope, average, idle_average;
    uint64_t rate, mean_bits_ns, idle_since, idle_before, arrived_ns, count;
    int on_curve;
} red;

static double probability(const void *state) {
    const red *own = state;
    if (own->average < own->min_th)
        return 0.0;
    if (own->average < own->max_th)
        return own->slope * (own->average - own->min_th);
    double p = own->max_p + own->gentle_slope * (own->average - own->max_th);
    return p < 1.0 ? p : 1.0;
}

static double power(double base, uint64_t exponent) {
    double result = 1.0;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

static const char *start(void *state, const double *values, const aqmlab_port *port) {
    red *own = state;
    own->min_th = values[0], own->max_th = values[1], own->w_q = values[2], own->max_p = values[3];
    if (own->min_th >= own->max_th)
        return "max_th_packets: above min_th_packets";
    own->slope = own->max_p / (own->max_th - own->min_th);
    own->gentle_slope = (1.0 - own->max_p) / own->max_th;
    own->rate = port->link_rate_bps;
    own->mean_bits_ns = (uint64_t)values[4] * UINT64_C(8000000000);
    own->idle_since = own->idle_before = own->arrived_ns = AQMLAB_NEVER;
    return 0;
}

static int32_t on_arrival(void *state, aqmlab_call *call) {
    red *own = state;
    if (own->idle_since == AQMLAB_NEVER) {
        own->average = (1.0 - own->w_q) * own->average + own->w_q * call->queue_packets;
    } else {
        unsigned __int128 sent = (unsigned __int128)(call->now_ns - own->idle_since) * own->rate;
        own->average = own->idle_average * power(1.0 - own->w_q, (uint64_t)(sent / own->mean_bits_ns));
    }
    own->idle_before = own->idle_since, own->idle_since = AQMLAB_NEVER, own->arrived_ns = call->now_ns;
    if (own->average < own->min_th) {
        own->on_curve = 0;
        return AQMLAB_PASS;
    }
    own->count++;
    if (own->average >= 2.0 * own->max_th) {
        own->count = 0;
        return AQMLAB_DROP_FORCED;
    }
    if (!own->on_curve) {
        own->on_curve = 1;
        own->count = 0;
    }
    double p = probability(own), progress = (double)own->count * p;
    if (aqmlab_uniform(call) >= (progress < 1.0 ? fmin(p / (1.0 - progress), 1.0) : 1.0))
        return AQMLAB_PASS;
    own->count = 0;
    return own->average < own->max_th ? AQMLAB_SIGNAL_EARLY : AQMLAB_DROP_EARLY;
}

static void on_overflow(void *state, const aqmlab_call *call) {
    (void)call;
    ((red *)state)->count = 0;
}

static void on_idle(void *state, uint64_t now_ns) {
    red *own = state;
    if (own->idle_since != AQMLAB_NEVER)
        return;
    /* Asked in vain at the instant of an arrival: that was discarded, and the link stays as idle. */
    if (own->idle_before != AQMLAB_NEVER && now_ns == own->arrived_ns) {
        own->idle_since = own->idle_before;
    } else {
        own->idle_since = now_ns;
        own->idle_average = own->average;
    }
}

static void observe(const void *state, double *values) {
    values[0] = ((const red *)state)->average;
}

static const aqmlab_parameter parameters[] = {
    {"min_th_packets", "Average queue from which on packets are signalled.", AQMLAB_NUMBER, 5, 0, INFINITY},
    {"max_th_packets", "Average queue at which the probability is max_p.", AQMLAB_NUMBER, 15, 0, INFINITY},
    {"w_q", "Weight of each arrival's sample in the average.", AQMLAB_NUMBER, 0.002, 1e-12, 1},
    {"max_p", "Probability at max_th_packets.", AQMLAB_NUMBER, 0.1, 1e-12, 1},
    {"mean_packet_bytes", "Length of a mean packet, the clock of idle time.", AQMLAB_INTEGER, 500, 1, 65535},
};
static const char *const observed[] = {"average_packets"};

const aqmlab_scheme my_red = {
    .version = AQMLAB_VERSION,
    .meaning = "RED in C: signals with a probability that grows with the average queue, spread over the arrivals.",
    .parameters = parameters,
    .parameter_count = 5,
    .observed = observed,
    .observed_count = 1,
    .state_bytes = sizeof(red),
    .start = start,
    .on_arrival = on_arrival,
    .on_overflow = on_overflow,
    .on_idle = on_idle,
    .signal_probability = probability,
    .observe = observe,
};
