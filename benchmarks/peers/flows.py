"""The sweep's transfers in SimGrid, one after another: the throughput of each in Mbit/s, a line each.

    python flows.py EVERY

EVERY takes each so manieth of the variations; the program needs SimGrid's package and no simio. SimGrid has no socket
buffers. Its law of TCP, that a flow has at most a window each round trip, takes one window for all flows
(`network/TCP-gamma`); it is written as the rate of each flow here, which is the same bound.
"""

from __future__ import annotations

import sys

from common import AMOUNT, variations
from simgrid import Engine, Mailbox

RATE = "1Gbps"
LATENCY = 1e-3 + 5.1e-6
"""Seconds one way: 200 km and 20 m of cable, and the switch."""


def send(box: Mailbox, todo: list[tuple[int, int]]) -> None:
    """Each variation when the one before has ended."""
    for window, streams in todo:
        begin = Engine.clock
        flows = [box.put_init(streams, AMOUNT // streams) for _ in range(streams)]
        for flow in flows:
            flow.set_rate(window / (2 * LATENCY))
            flow.start()
        for flow in flows:
            flow.wait()
        print(AMOUNT * 8 / (Engine.clock - begin) / 1e6)


def receive(box: Mailbox, todo: list[tuple[int, int]]) -> None:
    """All streams of a variation at once."""
    for _, streams in todo:
        pending = [box.get_async() for _ in range(streams)]
        for flow in pending:
            flow.wait()


def main() -> None:
    """Two hosts with the links of `transfer.yaml`."""
    todo = variations(int(sys.argv[1]))
    engine = Engine(["flows", "--log=root.thres:critical", "--cfg=network/TCP-gamma:0"])
    zone = engine.netzone_root.add_netzone_full("all")
    one, other = zone.add_host("one", "1Gf"), zone.add_host("other", "1Gf")
    link = zone.add_link("link", RATE)
    link.set_latency(LATENCY)
    zone.add_route(one, other, [link])
    zone.seal()
    box = engine.mailbox_by_name_or_create("box")
    one.add_actor("sender", send, box, todo)
    other.add_actor("receiver", receive, box, todo)
    engine.run()


if __name__ == "__main__":
    main()
