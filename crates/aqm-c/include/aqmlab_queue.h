/* The queues of aqmlab for programs in C: RED, CoDel, PIE, FQ-CoDel, CAKE, DualPI2 and others, by name.
 *
 * Written by cbindgen from crates/aqm-c/src/lib.rs: do not edit. Licensed under MIT or Apache-2.0.
 */

#ifndef AQMLAB_QUEUE_H
#define AQMLAB_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/*
 What a function answers.
 */
typedef enum aqmlab_status {
  /*
   Done.
   */
  AQMLAB_OK = 0,
  /*
   Nothing leaves the queue now: it is empty, or holds back what waits (`aqmlab_queue_opens`).
   */
  AQMLAB_NOTHING = 1,
  /*
   A null pointer where none is legal.
   */
  AQMLAB_NULL = 2,
  /*
   An instant before that of an earlier call, or more than 2^62 ns behind the first.
   */
  AQMLAB_WRONG_TIME = 3,
  /*
   A packet without bytes, or ECN bits above 3, or a codepoint above 63.
   */
  AQMLAB_WRONG_PACKET = 4,
  /*
   A scheme, parameter or link that is not legal: the message has the words.
   */
  AQMLAB_REFUSED = 5,
} aqmlab_status;

/*
 A queue in front of a link.
 */
typedef struct aqmlab_queue aqmlab_queue;

/*
 The link behind a queue.
 */
typedef struct aqmlab_link {
  /*
   Its rate, from 1 to 10^12 bits per second.
   */
  uint64_t rate_bps;
  /*
   The present instant of the program's clock, in nanoseconds: the queue begins then.
   */
  uint64_t begins_ns;
  /*
   Seed of the random numbers of the queue.
   */
  uint64_t seed;
  /*
   Where periodic timers tick within their period, from 0 to below 1.
   */
  double timer_phase;
  /*
   Salt of the hash that sorts flows into queues.
   */
  uint64_t flow_salt;
} aqmlab_link;

/*
 Takes a packet that was discarded, with the reason: "overflow", "early", "freed" and others. It must not
 call the queue.
 */
typedef void (*aqmlab_discarded)(void *context, void *packet, const char *reason);

/*
 What a queue has to know of a packet.
 */
typedef struct aqmlab_packet {
  /*
   The program's own packet: handed back as it came, never read.
   */
  void *packet;
  /*
   Tells flows apart, such as a hash of addresses, ports and protocol.
   */
  uint64_t flow;
  /*
   Address of the sender, or a hash of it: CAKE is fair between hosts. 0 if nobody tells.
   */
  uint32_t source;
  /*
   Address of the receiver, or a hash of it.
   */
  uint32_t destination;
  /*
   Length of the IP packet, headers included; at least 1.
   */
  uint32_t bytes;
  /*
   Differentiated services codepoint, from 0 to 63.
   */
  uint8_t dscp;
  /*
   ECN bits as they stand in the IP header: 0 not capable, 1 ECT(1), 2 ECT(0), 3 marked. Of a packet that
   leaves, as they have to be set.
   */
  uint8_t ecn;
} aqmlab_packet;

/*
 What happened at a queue so far, in packets.
 */
typedef struct aqmlab_counts {
  /*
   That came.
   */
  uint64_t arrived;
  /*
   That left.
   */
  uint64_t departed;
  /*
   That were marked.
   */
  uint64_t marked;
  /*
   That were discarded.
   */
  uint64_t discarded;
  /*
   That wait.
   */
  uint64_t waiting;
  /*
   Bytes that wait: of the IP packets.
   */
  uint64_t waiting_bytes;
} aqmlab_counts;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Makes a queue. `parameters` is JSON with the name of the scheme, such as
 `{"scheme": "codel", "limit_packets": 1000, "target_ms": 5}`: the keys of a scenario's queue.

 `discarded` takes every packet that is discarded, with `context`; null if nobody has to. `message` has
 room for `message_room` bytes and says why a queue was refused; null if nobody reads it.

 # Safety
 The texts are texts, and pointers are null or point to what they are said to.
 */
enum aqmlab_status aqmlab_queue_new(const char *parameters,
                                    const struct aqmlab_link *link,
                                    aqmlab_discarded discarded,
                                    void *context,
                                    struct aqmlab_queue **queue,
                                    char *message,
                                    size_t message_room);

/*
 A packet arrives. It is queued, or discarded, as others that wait may be for it. The queue keeps a copy of
 what `packet` says.

 # Safety
 `queue` is null or a queue that was made and not freed, `packet` null or one.
 */
enum aqmlab_status aqmlab_queue_arrive(struct aqmlab_queue *queue,
                                       uint64_t now_ns,
                                       const struct aqmlab_packet *packet);

/*
 The link asks for the next packet. `AQMLAB_NOTHING`: there is none now. Packets that the scheme discards
 on the way are handed over first.

 # Safety
 `queue` is null or a queue that was made and not freed, `packet` null or has room for one.
 */
enum aqmlab_status aqmlab_queue_depart(struct aqmlab_queue *queue,
                                       uint64_t now_ns,
                                       struct aqmlab_packet *packet);

/*
 Until when the queue holds back what waits, as a shaper does: when to ask again where
 `aqmlab_queue_depart` gave nothing. UINT64_MAX: nothing waits, or nothing holds it back.

 # Safety
 `queue` is null or a queue that was made and not freed.
 */
uint64_t aqmlab_queue_opens(const struct aqmlab_queue *queue);

/*
 What happened at a queue so far.

 # Safety
 `queue` is null or a queue that was made and not freed, `counts` null or has room for them.
 */
enum aqmlab_status aqmlab_queue_counts(const struct aqmlab_queue *queue,
                                       struct aqmlab_counts *counts);

/*
 Ends a queue. Packets that still wait are handed over as discarded, with the reason "freed". Null is
 legal.

 # Safety
 `queue` is null or a queue that was made and not freed.
 */
void aqmlab_queue_free(struct aqmlab_queue *queue);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AQMLAB_QUEUE_H */
