"""Figures for print and for pages: units on every axis, bands where runs allow them.

What is a set of lines is a `Chart`, rows of bars are `Bars`: data from which print, pages and tables are
made. All are functions of finished results; nothing is drawn that was not run. What needs matplotlib is
loaded when it is asked for.
"""
