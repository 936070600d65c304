"""The random numbers of the crate, by its published law."""

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def draw(key, n):
    """64 bits: draw n of the aqmlab_random::Key that holds `key`."""
    rotated = ((key << 32) | (key >> 32)) & WORD
    return mix(mix((n * GOLDEN + key) & WORD) ^ rotated)


def key_of(seed):
    """What aqmlab_random::Key::from_seed(seed) holds."""
    return mix(seed ^ 0x6A09E667F3BCC908)


class Coins:
    """The draws of aqmlab_random::Key::from_seed(seed).stream()."""

    def __init__(self, seed):
        self.key = key_of(seed)
        self.drawn = 0
        self.last = None

    def uniform(self):
        bits = draw(self.key, self.drawn)
        self.drawn += 1
        self.last = (bits >> 11) / (1 << 53)
        return self.last

    def below(self, n):
        """A whole number from 0 to n - 1; no coin, so nothing is compared with it."""
        self.drawn += 1
        return draw(self.key, self.drawn - 1) * n >> 64
