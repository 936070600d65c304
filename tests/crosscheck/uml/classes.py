"""In user-mode Linux: asks its prio for the band of each type of service, and its htb what full classes get.

Each answer is a line that begins with its kind. The trees are read from a file, one a line: the classes of a scenario's `htb`, in JSON.
Every class of the tree with a `dscp` is kept full.
"""

import json
import socket
import subprocess
import sys
import time

BYTES = 972
"""Of a datagram: 1000 with its headers, 1014 as the kernel counts it."""
IP_SHARE = 1000 / 1014
WAITING_PACKETS = 6_000
SECONDS = 8.0
SO_SNDBUFFORCE = 32
FIRST = 16
"""The handle of the first queue, and the number of the first class of a tree."""


def tc(*words):
    subprocess.run(["tc", *words], check=True)


def sent_bytes():
    """Of each class, by the handle of its queue."""
    shown = json.loads(subprocess.check_output(["tc", "-s", "-j", "qdisc", "show", "dev", "a0"]))
    return {int(each["handle"][:-1], 16): each["bytes"] for each in shown if each["kind"] == "pfifo"}


def ask_bands():
    """Through a machine that forwards: the band is that of the packet alone."""
    for words in (
        "netns add s",
        "link add c0 type veth peer name s0",
        "link set s0 netns s",
        "address add 10.0.1.1/24 dev c0",
        "link set c0 up",
        "-n s address add 10.0.1.2/24 dev s0",
        "-n s link set s0 up",
        "-n s route add default via 10.0.1.1",
    ):
        subprocess.run(["ip", *words.split()], check=True)
    with open("/proc/sys/net/ipv4/ip_forward", "w") as forwards:
        forwards.write("1")
    tc(*"qdisc replace dev a0 root handle 1: prio".split())
    for band in range(3):
        tc(*f"qdisc add dev a0 parent 1:{band + 1} handle {FIRST + band:x}: pfifo limit 1000".split())
    sends = "import socket,sys\ns=socket.socket(socket.AF_INET,socket.SOCK_DGRAM)\nfor line in sys.stdin:\n"
    sends += " s.setsockopt(0,1,int(line))\n for _ in range(3): s.sendto(bytes(500),('10.0.0.2',9))\n print(flush=True)\n"
    command = ["ip", "netns", "exec", "s", sys.executable, "-I", "-c", sends]
    sender = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    sender.stdin.write("0\n")
    sender.stdin.flush()
    sender.stdout.readline()
    time.sleep(0.5)
    bands = []
    for tos in range(256):
        before = sent_bytes()
        sender.stdin.write(f"{tos}\n")
        sender.stdin.flush()
        sender.stdout.readline()
        grown = {}
        while max(grown.values(), default=0) < 1500:
            grown = {band: sent - before[band] for band, sent in sent_bytes().items()}
        bands.append(max(grown, key=grown.get) - FIRST)
    sender.stdin.close()
    print("BANDS", *bands, flush=True)


def words_of(number, each, numbers):
    """A class of a scenario as `tc class add` takes it."""
    rate = each["rate_mbps"]
    words = ["parent", f"1:{numbers[each['parent']]:x}" if "parent" in each else "1:", "classid", f"1:{number:x}", "htb"]
    words += ["rate", f"{rate * 1e6:.0f}bit", "ceil", f"{each.get('ceil_mbps', rate) * 1e6:.0f}bit"]
    words += ["burst", str(each.get("burst_bytes", 1600)), "cburst", str(each.get("ceil_burst_bytes", 1600))]
    words += ["prio", str(each.get("prio", 0))]
    return words + (["quantum", str(each["quantum_bytes"])] if "quantum_bytes" in each else [])


def ask_shares(classes):
    """Mbit/s of each class by its codepoint, as IP packets."""
    subprocess.run(["tc", "qdisc", "del", "dev", "a0", "root"], check=False, stderr=subprocess.DEVNULL)
    tc(*"qdisc add dev a0 root handle 1: htb".split())
    numbers, full = {}, {}
    for number, each in enumerate(classes, FIRST):
        numbers[each.get("name")] = number
        tc("class", "add", "dev", "a0", *words_of(number, each, numbers))
        if "dscp" in each:
            limit = 2 * WAITING_PACKETS
            tc(*f"qdisc add dev a0 parent 1:{number:x} handle {number:x}: pfifo limit {limit}".split())
            full[number] = each["dscp"][0]
    senders = []
    for number, dscp in full.items():
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, 1 << 16 | number)
        sender.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 25)
        senders.append(sender)
    for _ in range(WAITING_PACKETS):
        for sender in senders:
            sender.sendto(bytes(BYTES), ("10.0.0.2", 9))
    time.sleep(0.5)

    begun, before = time.monotonic(), sent_bytes()
    time.sleep(SECONDS)
    took, after = time.monotonic() - begun, sent_bytes()
    rates = {dscp: (after[number] - before[number]) * 8e-6 / took for number, dscp in full.items()}
    print("RATES", *(f"{dscp}:{rate * IP_SHARE:.4f}" for dscp, rate in rates.items()), flush=True)


ask_bands()
with open(sys.argv[1], encoding="utf-8") as trees:
    for tree in trees:
        ask_shares(json.loads(tree))
