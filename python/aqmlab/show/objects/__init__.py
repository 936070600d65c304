"""What objects look like that show themselves: a module for each, which registers with `aqmlab.shown`.

`aqmlab` lists them (`_SHOWN_BY`); each is loaded when an object of its class is first shown.
"""
