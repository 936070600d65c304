"""Christiansen, Jeffay, Ott and Smith: Tuning RED for Web Traffic (SIGCOMM 2000)."""
