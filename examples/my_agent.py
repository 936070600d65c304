"""An agent that shortens a buffer: trained on a line, then beside PIE, CoDel and FQ-CoDel.

Five times in a simulated second it sees how much waits, how busy the link is and how long packets wait. A
line of weights turns that into the limit of a drop-tail queue. The weights are found by the cross-entropy
method: draw weights, keep the best third, draw the next ones around these. Training takes seconds. Nothing
is claimed of this agent but what the comparison at the end prints.

    pip install gymnasium
    python my_agent.py
"""

import numpy as np

import aqmlab
from aqmlab.environments import QueueEnvironment

LINE = """
name = "an access line"
duration_s = 40.0
warm_up_s = 10.0

[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 256 }

[users]
left = 0
right = 8
model = { model = "pages" }
profile = "linux6-cubic"

[[flows]]
count = 2
direction = "left-to-right"
base_rtt_ms = 40.0
profile = "linux6-cubic"
"""
LINK, LEAST, MOST = "left-to-right", 5, 256
GENERATIONS, CANDIDATES, KEPT = 6, 12, 4


def limit(weights, seen):
    """The limit of the queue, in packets, for what was seen."""
    delay_s, backlog_packets, utilization = seen[:3]
    inputs = np.array([1.0, np.log1p(backlog_packets), utilization, min(10.0 * delay_s, 5.0)])
    share = 1.0 / (1.0 + np.exp(-np.clip(weights @ inputs, -20.0, 20.0)))
    return np.array([LEAST + (MOST - LEAST) * share])


def episode(env, weights, seed):
    """The mean reward of an episode; `env.result()` is its run."""
    seen, _ = env.reset(options={"seed": seed})
    rewards, over = [], False
    while not over:
        seen, reward, _, over, _ = env.step(limit(weights, seen))
        rewards.append(reward)
    return np.mean(rewards)


def trained(env):
    """Weights that earn much; seeds of training are none of those that the comparison has."""
    rng = np.random.default_rng(1)
    mean, spread = np.zeros(4), np.full(4, 2.0)
    for generation in range(GENERATIONS):
        candidates = mean + spread * rng.standard_normal((CANDIDATES, 4))
        seeds = (1000 + 2 * generation, 1001 + 2 * generation)
        earned = [np.mean([episode(env, each, seed) for seed in seeds]) for each in candidates]
        best = candidates[np.argsort(earned)[-KEPT:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
        print(f"generation {generation + 1}: {max(earned):.3f}")
    return mean


def main():
    env = QueueEnvironment(LINE, link=LINK, actions={"limit_packets": (LEAST, MOST)}, step_s=0.2)
    weights = trained(env)
    seeds = range(1, 7)
    own = []
    for seed in seeds:
        episode(env, weights, seed)
        own.append(env.result())
    others = aqmlab.compare(LINE, schemes=["drop-tail", "pie", "codel", "fq-codel"], seeds=seeds)
    print(aqmlab.compare({**others.results, "agent": own}))


if __name__ == "__main__":
    main()
