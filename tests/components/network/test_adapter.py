"""Rings, buffers, DMA and interrupts of an adapter, against traces by hand."""

from __future__ import annotations

from types import ModuleType

from net_bench import US, Net, host, link, pair

from simio.components.network.packet import Packet
from simio.engines import compiled, reference

WIRE = 8208
"""ns of a packet of 1000 bytes on the wire; its DMA takes 2500 ns, and the gap 96."""


def test_fetching_overlaps_sending_or_does_not(engine: ModuleType) -> None:
    spans = []
    for overlapped in (True, False):
        net = pair(first={"transmit_cost": "0 s", "overlapped": overlapped})
        net.packets(net.path("a", "b"), [1000] * 10)
        times = [time for time, _ in net.marks(engine)]
        spans.append((times[-1] - times[0]) // 9)
    assert spans == [WIRE + 96, WIRE + 2500]


def test_the_adapters_processor_takes_packets_one_by_one(engine: ModuleType) -> None:
    net = pair(first={"transmit_cost": "0 s", "packet_time": "20 us"})
    net.packets(net.path("a", "b"), [1000] * 4)
    times = [time for time, _ in net.marks(engine)]
    assert [after - before for before, after in zip(times, times[1:], strict=False)] == [22_500] * 3


def test_a_slow_device_sets_the_pace_of_dma(engine: ModuleType) -> None:
    net = pair(first={"dma": "10 MB/s"})
    net.packets(net.path("a", "b"), [1000])
    assert net.marks(engine) == [(5000 + 100_000 + WIRE + 2500 + 7000, 1000)]


def test_packets_that_come_while_the_handler_runs_take_no_interrupt(engine: ModuleType) -> None:
    net = pair(first={"transmit_cost": "0 s"}, second={"receive_cost": "20 us"})
    net.packets(net.path("a", "b"), [1000] * 4)
    first = 2500 + WIRE + 2500 + 3000
    # The others come every 8.304 us, and each takes 20 us of the CPU.
    assert [time for time, _ in net.marks(engine)] == [first + 20_000 * served for served in (1, 2, 3, 4)]


def test_a_batch_shares_an_interrupt_when_it_is_full(engine: ModuleType) -> None:
    net = pair(first={"transmit_cost": "0 s"}, second={"coalesce_count": 3, "coalesce_delay": "1 ms"})
    net.packets(net.path("a", "b"), [1000] * 3)
    third = 2500 + 3 * WIRE + 2 * 96 + 2500
    assert [time for time, _ in net.marks(engine)] == [third + 3000 + 4000 * served for served in (1, 2, 3)]


def test_a_batch_that_does_not_fill_waits_for_the_delay_of_its_first(engine: ModuleType) -> None:
    net = pair(first={"transmit_cost": "0 s"}, second={"coalesce_count": 3, "coalesce_delay": "50 us"})
    net.packets(net.path("a", "b"), [1000] * 2)
    first = 2500 + WIRE + 2500
    assert [time for time, _ in net.marks(engine)] == [
        first + 50_000 + 3000 + 4000,
        first + 50_000 + 3000 + 8000,
    ]


def test_one_adapters_packets_are_served_by_one_cpu_at_a_time(engine: ModuleType) -> None:
    spans = []
    for cpus in (1, 4):
        hosts = [host("a", eth={"transmit_cost": "0 s"}), host("b", cpus=cpus, eth={"receive_cost": "50 us"})]
        net = Net(hosts, [link("a.eth", "b.eth")])
        net.packets(net.path("a", "b"), [1000] * 5)
        times = [time for time, _ in net.marks(engine)]
        spans.append(times[-1] - times[0])
    assert spans == [200_000, 200_000]


def test_interrupts_go_before_other_work_for_the_cpu(engine: ModuleType) -> None:
    net = pair()
    net.packets(net.path("a", "b"), [1000])
    with net.p.thread("process", count=3), net.p.loop(20):
        net.site.host("b").work(10 * US)
    ((time, _),) = net.marks(engine)
    # The handler waits for the work that has the CPU, and not for what waits: it comes at 18.208 us, when the second
    # piece of work has begun, is done at 23, and the driver goes before the third, too.
    assert time == 20_000 + 3000 + 4000


def test_a_full_receive_buffer_drops_what_comes(engine: ModuleType) -> None:
    net = pair(
        first={"transmit_cost": "0 s"},
        second={"receive_ring": 2, "receive_buffer": "3000 B", "receive_cost": "1 ms"},
    )
    net.packets(net.path("a", "b"), [1000] * 10)
    # Two are in the ring, three on the adapter; the rest finds no room.
    assert len(net.marks(engine)) == 5
    assert [value for _, value in net.marks(engine, "b.eth dropped")] == [1000] * 5


def test_sent_packets_interrupt_if_the_adapter_does_that(engine: ModuleType) -> None:
    net = pair(first={"transmit_interrupt": 4})
    net.packets(net.path("a", "b"), [1000] * 9)
    outcome = net.run(engine)
    # Nine times the driver, and two interrupts of 3 us.
    assert net.busy(outcome, "a.cpu") == (9 * 5 + 2 * 3) * US


def test_the_sender_may_have_paid_for_the_driver(engine: ModuleType) -> None:
    net = pair()
    path = net.path("a", "b")
    p, seen = net.p, net.p.observation("arrived")
    with p.thread("sender"), p.loop(3):
        path.source.drive()
        with p.fork("packet"):
            size = p.register(1000)
            path.send(Packet(size), lambda: p.mark(seen, size), driven=True)
    times = [time for time, _ in net.marks(engine)]
    assert times[0] == 5000 + 2500 + WIRE + 2500 + 7000
    assert net.busy(net.run(engine), "a.cpu") == 3 * 5 * US


def test_packets_of_mixed_sizes_stay_in_order_and_none_is_lost(engine: ModuleType) -> None:
    net = pair(
        first={"queue": 1000, "transmit_ring": 3, "transmit_buffer": "2 KiB"},
        second={"receive_ring": 2, "coalesce_count": 5, "coalesce_delay": "30 us"},
    )
    lengths = [40 + (number * 577) % 1461 for number in range(60)]
    net.packets(net.path("a", "b"), lengths, every=7 * US)
    assert [value for _, value in net.marks(engine)] == lengths


def test_both_engines_agree_on_two_directions_and_drops() -> None:
    outcomes = []
    for run in (reference, compiled):
        net = pair(length=50, first={"queue": 4}, second={"receive_ring": 2, "receive_buffer": "4000 B"}, loss=0.2)
        net.stream(net.path("a", "b"), 900, 60, 6 * US, name="there")
        net.stream(net.path("b", "a"), 300, 60, 5 * US, name="back")
        outcomes.append(net.run(run))
    one, other = outcomes
    assert one.marks.tolist() == other.marks.tolist()
    assert one.resources.tolist() == other.resources.tolist()


def test_layers_above_take_a_cpu_of_their_own(engine: ModuleType) -> None:
    net = pair(first={"transmit_cost": "0 s"})
    b = net.site.host("b")
    net.packets(net.path("a", "b"), [1000, 1000], after=lambda: b.work(7 * US))
    first = 2500 + WIRE + 2500 + 3000 + 4000
    # The second packet waits for what the first one's layers do, and takes no interrupt.
    assert [time for time, _ in net.marks(engine)] == [first, first + 7_000 + 4000]


def test_a_lock_above_does_not_stop_a_host_of_one_cpu(engine: ModuleType) -> None:
    net = pair(first={"transmit_cost": "0 s"})
    b, p = net.site.host("b"), net.p
    lock = p.resource("lock", lock=True)

    def locked() -> None:
        with p.hold(lock):
            b.work(10 * US)

    net.stream(net.path("a", "b"), 1000, 20, 9 * US)
    net.packets(net.path("a", "b"), [1000] * 5, name="locked", after=locked)
    with p.thread("process"), p.loop(30):
        locked()
    assert len(net.marks(engine, "locked")) == 5
