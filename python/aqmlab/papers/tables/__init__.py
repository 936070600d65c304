"""The tables of a study: a module for each, on the model and the renderers of `aqmlab.tables`."""
