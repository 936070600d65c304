"""Linux as an ordinary process: live runs with the queues and the TCP of its kernel, without privileges.

Read in this order: `kernel` (which user-mode Linux there is, and what it has), `machine` (how it is booted),
`start.sh` (what every machine does first), `running` (a live run in it, seen from outside), `guest` (the same
from inside). The cross-checks with the kernel boot it by the same modules.
"""
