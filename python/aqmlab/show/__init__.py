"""What people see: words, tables, figures, reports, the page of `aqmlab play`.

It stands on everything else and nothing imports it. Objects that show themselves, such as a `Comparison` that
is printed, ask through `aqmlab.shown`, where this package says how (`objects`).
"""
