"""The figures of a study: `listed` draws those that its experiment lists, by the functions of `kinds`."""
