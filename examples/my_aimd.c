/* AIMD as in my_aimd.py, in C: cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab controller include)" my_aimd.c -o my_aimd.so
 *
 * What is not of AIMD is Reno as Linux has it, whose window falls to the threshold at once: what aqmlab.controllers.Controller
 * has for classes in Python. For another rule replace grow and window_after_loss. */
#include "aqmlab_controller.h"

typedef struct {
    double increase_segments, left_share;
    double window_before, threshold_before; /* what a mistake would bring back */
    uint32_t initial_window;
} aimd;

static double larger(double one, double other) {
    return one > other ? one : other;
}

static double whole_part_of(double window, uint64_t parts) {
    return (double)((uint64_t)(window / (double)parts));
}

/* Segments were acknowledged, the window was used, and nothing is being reduced. */
static void grow(const aimd *own, uint32_t delivered, aqmlab_answers *answers) {
    if (answers->window < answers->threshold) {
        double grown = answers->window + delivered;
        answers->window = grown < answers->threshold ? grown : answers->threshold;
    } else {
        answers->window += own->increase_segments * delivered / answers->window;
    }
}

/* What a loss or mark leaves of the window. */
static double window_after_loss(const aimd *own, aqmlab_answers *answers) {
    return own->left_share * answers->window;
}

static double three_quarters(double window) {
    return whole_part_of(window, 2) + whole_part_of(window, 4);
}

static void keep(aimd *own, const aqmlab_answers *answers) {
    own->window_before = answers->window;
    own->threshold_before = larger(answers->threshold, three_quarters(answers->window));
}

static void reduce_threshold(const aimd *own, aqmlab_answers *answers) {
    answers->threshold = larger(2, window_after_loss(own, answers));
}

static const char *start(void *state, const double *values, const aqmlab_host *host, aqmlab_answers *answers) {
    aimd *own = state;
    own->increase_segments = values[0], own->left_share = values[1];
    if (own->left_share >= 1)
        return "left_share: below 1";
    own->initial_window = host->initial_window;
    own->window_before = answers->window, own->threshold_before = answers->threshold;
    return 0;
}

static void on_established(void *state, const aqmlab_opening *opening, aqmlab_answers *answers) {
    (void)state;
    if (opening->reduces_window)
        answers->window = 1;
}

static void on_acknowledged(void *state, const aqmlab_acknowledged *acknowledged, aqmlab_answers *answers) {
    int reduces = acknowledged->phase == AQMLAB_REDUCING || acknowledged->phase == AQMLAB_RECOVERY;
    if (acknowledged->may_grow && !reduces && !acknowledged->window_unused)
        grow(state, acknowledged->delivered, answers);
}

static void on_loss(void *state, const aqmlab_loss *loss, aqmlab_answers *answers) {
    if (loss->reduced)
        return;
    if (!loss->repaired)
        keep(state, answers);
    reduce_threshold(state, answers);
    answers->window = answers->threshold;
}

static void on_timeout(void *state, const aqmlab_timeout *timeout, aqmlab_answers *answers) {
    if (!timeout->repeated) {
        keep(state, answers);
        reduce_threshold(state, answers);
    }
    answers->window = timeout->in_flight + 1.0;
}

static void on_marks(void *state, const aqmlab_marks *marks, aqmlab_answers *answers) {
    (void)marks;
    reduce_threshold(state, answers);
    answers->window = answers->threshold;
}

static void on_recovered(void *state, uint32_t how, aqmlab_answers *answers) {
    const aimd *own = state;
    if (how == AQMLAB_COMPLETE) {
        answers->window = answers->threshold;
    } else if (how == AQMLAB_MISTAKEN) {
        answers->window = larger(answers->window, own->window_before);
        answers->threshold = larger(answers->threshold, own->threshold_before);
    }
}

/* Linux tcp_cwnd_restart. */
static void on_idle(void *state, uint32_t timeouts, aqmlab_answers *answers) {
    double initial = ((const aimd *)state)->initial_window;
    answers->threshold = larger(answers->threshold, three_quarters(answers->window));
    for (uint32_t timeout = 0; timeout < timeouts && answers->window > initial; timeout++)
        answers->window = larger(whole_part_of(answers->window, 2), initial);
}

/* RFC 2861. */
static void on_unused(void *state, uint32_t used, aqmlab_answers *answers) {
    double most = larger(used, ((const aimd *)state)->initial_window);
    if (most < answers->window) {
        answers->threshold = larger(answers->threshold, three_quarters(answers->window));
        answers->window = whole_part_of(answers->window + most, 2);
    }
}

static const aqmlab_parameter parameters[] = {
    {"increase_segments", "Segments a round trip without a loss.", AQMLAB_NUMBER, 1, 0.001, 1},
    {"left_share", "Share of the window that a loss leaves.", AQMLAB_NUMBER, 0.5, 0.001, 1},
};

const aqmlab_controller my_aimd = {
    .version = AQMLAB_CONTROLLER_VERSION,
    .meaning = "AIMD in C: adds `increase_segments` a round trip, and keeps `left_share` of the window at a loss or mark.",
    .parameters = parameters,
    .parameter_count = 2,
    .state_bytes = sizeof(aimd),
    .start = start,
    .on_established = on_established,
    .on_acknowledged = on_acknowledged,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .on_marks = on_marks,
    .on_recovered = on_recovered,
    .on_idle = on_idle,
    .on_unused = on_unused,
};
