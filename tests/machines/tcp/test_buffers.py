"""Buffers that writes are cut into: their sizes, their memory, and their effect on a transfer."""

from __future__ import annotations

import pytest
from endpoint_bench import BASE, endpoint, look
from hypothesis import given
from hypothesis import strategies as st
from tcp_bench import SECOND, US, Bench

from simio.machines.door import Called, call
from simio.machines.tcp import HAND_OVER_BUFFER, HAND_OVER_WRITE, TcpSettings, buffers
from simio.machines.tcp.layout import APPENDED, END, MEMORY, UNA

AIX = {
    "mss": 65_240,
    "send_space": 65_536,
    "receive_space": 65_535,
    "mbuf_size": 256,
    "mbuf_data": 236,
    "mbuf_first": 228,
    "cluster": 4096,
    "cluster_threshold": 936,
    "hand_over": HAND_OVER_WRITE,
}
"""Small buffers of 256 bytes, clusters of 4096 for more than four of them hold."""


def bench(**options) -> Bench:
    return Bench(TcpSettings(**{**AIX, **options}))


def chain(run: Bench, end: int = 0) -> tuple[int, int]:
    """Buffers in the send buffer, and their memory."""
    return run.ask(end, buffers.chain), run.look(end, MEMORY)


def pieces(*writes: int, **options) -> list[int]:
    return bench(**options).start(0, writes).run(0).pieces[0]


def test_a_write_is_cut_into_small_buffers_or_clusters() -> None:
    assert pieces(900) == [228, 236, 236, 200]
    assert pieces(936) == [228, 236, 236, 236]
    assert pieces(937) == [937]
    assert pieces(10_000) == [4096, 4096, 1808]
    # Of 5000 bytes, 904 are left after the first cluster: too few for another; they continue the chain.
    assert pieces(5000) == [4096, 236, 236, 236, 196]
    # Where each buffer goes to TCP by itself, each is the first of its chain.
    assert pieces(900, hand_over=HAND_OVER_BUFFER) == [228, 228, 228, 216]
    assert pieces(900, mbuf_size=0) == [900]
    assert pieces(5000, cluster=0, mbuf_data=1500, mbuf_first=1400) == [1400, 1500, 1500, 600]


def test_a_cluster_needs_room_for_a_whole_one() -> None:
    # 4500 bytes have room for one cluster; 3500, 2500 and 1500 have not. Memory, 9000, is enough for 4352 + 3 * 1280.
    writes = [1000] * 4
    assert pieces(*writes, send_space=4500) == [1000, *[228, 236, 236, 236, 64] * 3]
    # Room for exactly one is enough.
    assert pieces(4096, send_space=4096) == [4096]
    # Two clusters leave memory for 296 bytes.
    assert pieces(*writes, send_space=4500, cluster_needs_room=False) == [1000, 1000, 296]


def test_memory_limits_before_bytes_do() -> None:
    # 16 KiB: memory is limited to 32 KiB. Nothing is acknowledged yet. Clusters of 4352 bytes: 7 take 30464, which
    # leaves 2304; no room for a cluster. A write of 1000 then takes 5 small buffers: 1024 are left; of the next only
    # 1024 bytes are looked at, which hold it: 5 buffers again, 256 too many. The writer waits.
    run = bench(send_space=16_384, receive_space=16_384).start(0, [1000] * 20).run(0)
    assert run.written[0] == 9000
    assert chain(run) == (7 + 2 * 5, 7 * 4352 + 10 * 256)
    # Without counting memory, it is bytes.
    assert bench(send_space=16_384, mbuf_size=0).start(0, [1000] * 20).run(0).written[0] == 16_384


def test_small_writes_merge() -> None:
    # 300 writes of a byte: the first buffer holds 228, the second 72.
    run = bench(nodelay=True).start(0, [1] * 300).run(0)
    assert chain(run) == (2, 512)
    # 100 bytes fit twice into 228, not three times; a cluster's rest takes nothing.
    assert chain(bench().start(0, [100] * 5).run(0)) == (3, 768)
    assert chain(bench().start(0, [1000, 1]).run(0)) == (2, 4352 + 256)
    # Of 228 + 100 bytes the second buffer, of 236, has room for 136 more.
    assert chain(bench().start(0, [328, 136]).run(0)) == (2, 512)
    assert chain(bench().start(0, [328, 137]).run(0)) == (3, 768)
    # The rest of the last small buffer takes what follows, though a longer write put it there: 64 + 172 = 236.
    assert chain(bench(cluster=0).start(0, [1000, 172]).run(0)) == (5, 1280)
    assert chain(bench(cluster=0).start(0, [1000, 173]).run(0)) == (6, 1536)


def test_acknowledgements_free_whole_buffers() -> None:
    # A write of 1000 bytes, in buffers of 228, 236, 236, 236 and 64, goes as segments of 500 at once; the receiver
    # acknowledges each. The first acknowledgement frees two buffers of 228 and 236, not the third with 36 of 236.
    run = bench(mss=500, cluster=0, initial_window=1000, receive_space=60_000, ack_every=1)
    run.byte = US
    run.start(0, [1000])
    found = [chain(run)]
    while run.events:
        run.step()
        if chain(run) != found[-1]:
            found.append(chain(run))
    assert found == [(0, 0), (5, 1280), (3, 768), (0, 0)]


def test_when_a_write_goes_to_tcp() -> None:
    def handed(hand_over: int, *chunks: int, write: int = 5000) -> list[int]:
        run = bench(hand_over=hand_over, mbuf_size=0 if hand_over > 0 else 256)
        answers = []
        left = write
        for _ in chunks:
            chunk = run.ask(0, buffers.room, left)
            left -= chunk
            answers.append(run.ask(0, buffers.append, chunk))
            assert (run.look(0, END) == run.look(0, APPENDED)) == bool(answers[-1])
        assert left == 0
        return answers

    assert handed(HAND_OVER_BUFFER, 1, 2, 3, 4, 5) == [1, 1, 1, 1, 1]
    assert handed(HAND_OVER_WRITE, 1, 2, 3, 4, 5) == [0, 0, 0, 0, 1]
    assert handed(1460, 1, 2, 3, 4) == [1, 1, 1, 1]


def test_a_write_larger_than_the_room_goes_in_parts() -> None:
    # Data that found room go to TCP, or nothing would ever be acknowledged.
    run = bench(send_space=8192, mss=1000, receive_space=60_000, ack_every=1).start(0, [100_000]).run()
    assert run.received[1] == 100_000


def test_a_writer_waits_for_enough_room() -> None:
    # 10000 bytes of room, all used. With each acknowledgement of 1000 there is some; a writer that wants 3000 waits
    # for 2500, one that wants 700 for 700.
    for wanted, freed in ((3000, 3), (700, 1)):
        run = bench(
            mbuf_size=0, send_space=10_000, mss=1000, initial_window=10_000, low_water=2500, ack_every=1,
            receive_space=60_000,
        )  # fmt: skip
        run.start(0, [10_000, wanted]).run(0)
        assert run.written[0] == 10_000
        while run.written[0] == 10_000:
            run.step()
        assert run.written[0] - 10_000 == (freed * 1000 if wanted > 1000 else wanted)


def test_a_wrong_size_is_refused() -> None:
    run = bench()
    assert run.ask(0, buffers.room, 1000) == 1000
    assert run.ask(0, buffers.append, 999) == -1
    assert run.ask(0, buffers.append, 1000) == 1
    assert run.ask(0, buffers.append, 1000) == -1


def test_when_no_further_run_of_buffers_can_be_kept() -> None:
    # Data in the chain go to TCP, since only an acknowledgement makes room; a writer waits until then.
    full = {"run_count": 1, "runs": 1, "hand_over": HAND_OVER_WRITE}
    state = endpoint(**full, chunk=100, write_left=1000, write_space=1000)
    assert call(buffers.append, state, BASE, 0, 100, 0) == 1
    assert look(state, "appended", "end") == (101, 101)
    assert call(buffers.room, endpoint(**full), BASE, 0, 1000, 0) == 0
    # With one record left the writer goes on.
    state = endpoint(**{**full, "runs": 2}, chunk=100, write_left=1000, write_space=1000)
    assert call(buffers.append, state, BASE, 0, 100, 0) == 0
    assert call(buffers.room, endpoint(**{**full, "runs": 2}), BASE, 0, 1000, 0) == 1000


class Naive:
    """The send buffer as a list of [bytes, memory, room], one for each buffer."""

    def __init__(self) -> None:
        self.buffers: list[list[int]] = []
        self.taken = 0

    def add(self, size: int, first: bool, small: bool) -> None:
        whole = (228 if first else 236) if small else 0
        if small and self.buffers and self.buffers[-1][2] >= size:
            self.buffers[-1][0] += size
            self.buffers[-1][2] -= size
        else:
            self.buffers.append([size, 256 if small else 4352, whole - size if small else 0])

    def free(self, size: int) -> None:
        self.taken += size
        while self.buffers and self.buffers[0][0] <= self.taken:
            self.taken -= self.buffers.pop(0)[0]


@given(
    st.lists(st.one_of(st.integers(1, 5000), st.sampled_from([1, 100, 900, 1000])), max_size=60),
    st.sampled_from([HAND_OVER_BUFFER, HAND_OVER_WRITE]),
    st.integers(100, 3000),
)
def test_buffers_are_counted_as_one_by_one(writes: list[int], hand_over: int, mss: int) -> None:
    run = bench(hand_over=hand_over, mss=mss, send_space=20_000, receive_space=30_000)
    naive = Naive()
    first = True
    acknowledged = 1

    def ask(end: int, function: Called, a: int = 0, b: int = 0, plain=run.ask) -> int:
        nonlocal first
        memory = run.look(0, MEMORY)
        answer = plain(end, function, a, b)
        if end == 0 and function == buffers.append:
            naive.add(a, first, run.look(0, MEMORY) - memory != 4352)
            first = bool(answer)
        return answer

    run.ask = ask  # type: ignore[method-assign]
    run.start(0, writes)
    while run.events:
        run.step()
        una = max(run.look(0, UNA), 1)
        if una > acknowledged:
            naive.free(una - acknowledged)
            acknowledged = una
        assert chain(run) == (len(naive.buffers), sum(buffer[1] for buffer in naive.buffers))
    assert run.received[1] == sum(writes)


# --- a large segment size, and buffers that run out before half of the window ------------------------------------


def speed(size: int, space: int, **options) -> float:
    """Bytes a second of messages of a size, with socket buffers of `space`, over 20 MB/s and 0.1 ms."""
    plain = {
        **AIX,
        "send_space": space,
        "receive_space": min(space, 65_535),
        "ack_every": 2,
        "ack_small": True,
    }
    run = Bench(TcpSettings(**{**plain, **options}), delay=100 * US, byte=50_000)
    run.start(0, [size] * 3000).run(5 * SECOND)
    return run.received[1] * SECOND / (run.read_times[1][-1][0] + 1)


@pytest.mark.parametrize("space", [16_384, 32_768, 65_536])
def test_messages_of_a_cluster_each_exhaust_memory_before_half_of_the_window_is_there(space: int) -> None:
    # A message of 1000 bytes takes 4352 of memory, which is limited to twice the buffer: less than half of the
    # receiver's window waits when that is used up. No rule lets it go before the first message is acknowledged, which
    # the receiver's timer does 5 times a second. With small buffers, of up to 936 bytes, that does not happen.
    assert speed(1000, space) < 5.5 * space
    assert speed(1000, space) < 0.05 * speed(900, space)
    assert speed(936, space) > 2_000_000


@pytest.mark.parametrize("space", [4096, 8192])
def test_where_no_cluster_finds_room_there_are_enough_small_buffers(space: int) -> None:
    assert speed(1000, space) > 0.3 * speed(900, space)


@pytest.mark.parametrize("space", [4096, 8192, 16_384, 32_768, 65_536])
def test_nodelay_sends_what_nagle_holds_back(space: int) -> None:
    assert speed(1000, space, nodelay=True) > 0.5 * speed(900, space, nodelay=True)
