/* Two senders before a line of 10 Mbit/s, one of them too fast: what CoDel does about it.
 *
 *     cc home_line.c -I ../include -L ../../../target/release -laqmlab_queue -o home_line
 */
#include "aqmlab_queue.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t sent_ns;
} frame;

static void discarded(void *context, void *packet, const char *reason)
{
    uint64_t *lost = context;
    *lost += 1;
    (void)reason;
    free(packet);
}

int main(int count, char **arguments)
{
    const char *parameters = count > 1 ? arguments[1] : "{\"scheme\": \"codel\", \"limit_packets\": 1000}";
    aqmlab_link link = {.rate_bps = 10000000, .seed = 1};
    aqmlab_queue *queue = NULL;
    char message[200];
    uint64_t lost = 0, sent = 0, longest_ns = 0;
    if (aqmlab_queue_new(parameters, &link, discarded, &lost, &queue, message, sizeof message) != AQMLAB_OK) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    /* A packet of 1,250 bytes every 0.9 ms takes 1 ms to send: 11 % too much, for ten seconds. */
    uint64_t arrives_ns = 0, free_ns = 0, end_ns = 10000000000;
    while (arrives_ns < end_ns) {
        if (free_ns < arrives_ns) {
            aqmlab_packet next;
            if (aqmlab_queue_depart(queue, free_ns, &next) == AQMLAB_OK) {
                uint64_t waited_ns = free_ns - ((frame *)next.packet)->sent_ns;
                if (free_ns > end_ns / 2 && waited_ns > longest_ns)
                    longest_ns = waited_ns;
                sent += 1;
                free_ns += 1000000;
                free(next.packet);
                continue;
            }
            free_ns = arrives_ns;
        }
        frame *own = malloc(sizeof *own);
        if (own == NULL)
            return 1;
        own->sent_ns = arrives_ns;
        aqmlab_packet packet = {.packet = own, .flow = 1, .bytes = 1250};
        if (aqmlab_queue_arrive(queue, arrives_ns, &packet) != AQMLAB_OK)
            return 1;
        arrives_ns += 900000;
    }
    aqmlab_counts counts;
    aqmlab_queue_counts(queue, &counts);
    aqmlab_queue_free(queue);
    printf("arrived %" PRIu64 " sent %" PRIu64 " discarded %" PRIu64 " waiting %" PRIu64 " handed back %" PRIu64
           " longest wait %" PRIu64 " us\n",
           counts.arrived, sent, counts.discarded, counts.waiting, lost, longest_ns / 1000);
    return 0;
}
