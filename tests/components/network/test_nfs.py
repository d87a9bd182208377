"""NFS over RPC over UDP: bytes of its messages, who waits for what, retransmission, and files that stay whole."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, US
from tcp_net import FREE, QUICK, busy, marks, run, station, system

from simio.components.network.nfs import MESSAGES
from simio.engines import compiled, reference
from simio.errors import RunError

MS = 1000 * US
SILENT: dict[str, Any] = {**FREE, "udp_send": "0 s", "udp_receive": "0 s", "copies": False}


def nfs(stack: dict[str, Any] | None = None, server: dict[str, Any] | None = None, **params: Any) -> Any:
    """A client a and a server b whose stacks, adapters and interrupts cost nothing unless said otherwise."""
    wire = {key: params.pop(key) for key in ("loss",) if key in params}
    given = {"from": "a", "to": "b", "size": "8 KiB", "biods": 0, **params}
    costs = {**SILENT, **(stack or {})}
    ends = [
        station(name, {**costs, **((server or {}) if name == "b" else {})}, interrupt=0, **QUICK) for name in "ab"
    ]
    return system(*ends, workload={"nfs": given}, **wire)


CALL = ["xid", "call", "rpc version", "program", "version", "procedure"]
CREDENTIALS = ["flavour", "length", "stamp", "name length", "na", "me", "uid", "gid", "groups", "group"]
VERIFIER = ["flavour", "length"]
REPLY = ["xid", "reply", "accepted", *VERIFIER, "success"]
FATTR = [
    "type", "mode", "nlink", "uid", "gid", "size", "blocksize", "rdev", "blocks", "fsid", "fileid",
    "atime s", "atime us", "mtime s", "mtime us", "ctime s", "ctime us",
]  # fmt: skip
HANDLE = ["handle"] * 8


def words(*lists: list[str]) -> int:
    return 4 * sum(map(len, lists))


def test_messages_of_version_2_have_the_words_of_its_definition() -> None:
    header = words(CALL, CREDENTIALS, VERIFIER)
    m = MESSAGES[2]
    assert m.read == header + words(HANDLE, ["offset", "count", "totalcount"])
    assert m.read_reply == words(REPLY, ["status"], FATTR, ["length"])
    assert m.write == header + words(HANDLE, ["beginoffset", "offset", "totalcount", "length"])
    assert m.write_reply == words(REPLY, ["status"], FATTR)


def test_messages_of_version_3_have_the_words_of_its_definition() -> None:
    two = ["high", "low"]
    fattr = [*["type", "mode", "nlink", "uid", "gid"], *two * 2, "major", "minor", *two * 2, *two * 3]
    post = ["attributes follow", *fattr]
    wcc = ["before follows", *two * 3, *post]
    header, handle = words(CALL, CREDENTIALS, VERIFIER), ["handle length", *HANDLE]
    m = MESSAGES[3]
    assert m.read == header + words(handle, two, ["count"])
    assert m.read_reply == words(REPLY, ["status"], post, ["count", "eof", "length"])
    assert m.write == header + words(handle, two, ["count", "stable", "length"])
    assert m.write_reply == words(REPLY, ["status"], wcc, ["count", "committed"], two)
    assert m.commit == header + words(handle, two, ["count"])
    assert m.commit_reply == words(REPLY, ["status"], wcc, two)


def test_a_read_takes_the_wire_for_its_messages_and_no_more(engine: ModuleType) -> None:
    program, outcome = run(engine, nfs())
    # The call: 72 + 48 bytes, headers of UDP, IP and the frame. The reply: 8192 + 128 bytes and the UDP header are
    # five fragments of 1480 bytes and one of 928. Nothing waits for the gap of 12 before the first frame.
    assert busy(program, outcome, "a.eth>b.eth") == (120 + 28 + 26) * 8 * NS
    assert busy(program, outcome, "b.eth>a.eth") == (5 * 1538 + 928 + 20 + 26) * 8 * NS
    assert [size for _, size in marks(program, outcome, "delivered")] == [8192]


@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("biods", [0, 1, 4])
def test_the_last_block_has_what_is_left_of_the_file(access: str, version: int, biods: int) -> None:
    program, outcome = run(compiled, nfs(access=access, version=version, biods=biods, size="50001 B"))
    sizes = sorted(size for _, size in marks(program, outcome, "delivered"))
    assert sizes == [50001 - 6 * 8192, *[8192] * 6]


def test_without_daemons_each_block_waits_for_the_one_before(engine: ModuleType) -> None:
    costs = {"nfs_server": "1 ms"}
    program, outcome = run(engine, nfs(server=costs, size="80 KiB"))
    alone = run(engine, nfs(server=costs))[1].end
    assert outcome.end == 10 * alone


def test_daemons_read_ahead_until_the_server_has_no_more_to_give() -> None:
    costs = {"nfs_server": "1 ms"}
    ends = [run(compiled, nfs(server=costs, size="800 KiB", biods=biods))[1].end for biods in (0, 1, 2, 4, 8)]
    assert ends == sorted(ends, reverse=True)
    # 100 blocks of 1 ms each at the server, and the way there and back of one.
    assert 100 * MS < ends[-1] < 101 * MS


def test_server_threads_work_side_by_side_on_several_processors() -> None:
    def end(nfsds: int) -> int:
        ends = [
            station("a", SILENT, interrupt=0, **QUICK),
            station("b", {**SILENT, "nfs_server": "1 ms"}, 2, 0, **QUICK),
        ]
        given = {"from": "a", "to": "b", "size": "400 KiB", "biods": 8, "nfsds": nfsds}
        return run(compiled, system(*ends, workload={"nfs": given}))[1].end

    assert end(1) > 50 * MS
    assert 25 * MS < end(2) < 27 * MS


def test_version_2_waits_for_the_disk_each_time_and_version_3_once() -> None:
    def end(version: int) -> int:
        described = nfs(access="write", version=version, size="80 KiB", stable="10 ms", biods=4)
        return run(compiled, described)[1].end

    assert 100 * MS < end(2) < 103 * MS
    assert 10 * MS < end(3) < 13 * MS


def test_a_writer_goes_on_while_a_daemon_is_free_and_then_writes_itself(engine: ModuleType) -> None:
    described = nfs(access="write", version=2, size="48 KiB", stable="10 ms", biods=2)
    program, outcome = run(engine, described)
    took = [value // MS for _, value in marks(program, outcome, "nfs: block")]
    # Two blocks are left to daemons; the third the program writes itself, and is first at the disk since it has not
    # let go of the CPU. Then the daemons' blocks are written for 20 ms, and its own fourth behind them.
    assert took == [0, 0, 10, 30, 0, 0]


def test_a_call_without_a_reply_goes_again_at_doubled_intervals(engine: ModuleType) -> None:
    program, outcome = run(engine, nfs(access="write", version=2, stable="3 s", timeout="700 ms"))
    again = [time // MS for time, _ in marks(program, outcome, "nfs: retransmission")]
    # 0.7 s after the call, and 1.4 s after that; 2.8 s later the reply is there.
    assert again == [700, 2100]
    assert outcome.end // MS == 3000
    assert [size for _, size in marks(program, outcome, "delivered")] == [8192]


def test_the_interval_grows_to_a_minute_and_no_further() -> None:
    program, outcome = run(compiled, nfs(access="write", version=2, stable="300 s", timeout="7 s"))
    again = [time // (1000 * MS) for time, _ in marks(program, outcome, "nfs: retransmission")]
    assert again == [7, 21, 49, 105, 165, 225, 285]


@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_file_is_whole_whatever_is_lost(access: str, seed: int) -> None:
    described = nfs(access=access, biods=4, size="200 KiB", loss=0.05, timeout="20 ms", version=2)
    program, outcome = run(compiled, described, seed=seed)
    assert sum(size for _, size in marks(program, outcome, "delivered")) == 200 * 1024
    assert marks(program, outcome, "nfs: retransmission")


def test_requests_that_a_servers_socket_drops_are_sent_again() -> None:
    # A request takes 8312 bytes, and 16 more for the sender's address: of nine at once, two fit beside the
    # one in service, which waits for the disk.
    described = nfs(
        server={"datagram_receive_space": "17 kB"}, access="write", version=2, stable="5 ms",
        biods=8, nfsds=1, size="128 KiB", timeout="100 ms",
    )  # fmt: skip
    program, outcome = run(compiled, described)
    assert marks(program, outcome, "nfs at b dropped")
    again = marks(program, outcome, "nfs: retransmission")
    assert again[0][0] >= 100 * MS
    assert sum(size for _, size in marks(program, outcome, "delivered")) == 128 * 1024


def test_a_duplicate_reply_is_counted_and_changes_nothing() -> None:
    program, outcome = run(
        compiled, nfs(access="write", version=2, stable="1500 ms", timeout="700 ms", size="16 KiB")
    )
    assert sum(size for _, size in marks(program, outcome, "delivered")) == 16 * 1024
    (tally,) = [tally for tally in program.tallies if tally.what == "answered before"]
    assert outcome.state[tally.at] >= 1


def test_engines_agree_on_a_lossy_mount() -> None:
    described = nfs(access="write", version=3, biods=3, size="100 KiB", loss=0.05, timeout="20 ms")
    ends = [run(engine, described, seed=7)[1] for engine in (reference, compiled)]
    assert ends[0].end == ends[1].end
    assert ends[0].marks.tolist() == ends[1].marks.tolist()


def test_larger_transfers_share_what_a_request_costs() -> None:
    def rate(transfer: str) -> float:
        described = nfs(stack={"rpc": "500 us"}, transfer=transfer, size="960 KiB")
        return 960 / run(compiled, described)[1].end

    rates = [rate(transfer) for transfer in ("8 KiB", "16 KiB", "32 KiB", "60 KiB")]
    assert rates == sorted(rates)
    assert rates[-1] > 3 * rates[0]


def test_a_client_asks_for_no_more_than_its_nfs_does_whatever_its_mount_says() -> None:
    def blocks(most: str) -> list[int]:
        described = nfs(stack={"nfs_max_transfer": most}, transfer="60 KiB", size="100 KiB")
        return [size for _, size in marks(*run(compiled, described), "delivered")]

    assert blocks("32 KiB") == [32768, 32768, 32768, 4096]
    assert blocks("none") == [61440, 40960]


def test_data_are_copied_twice_at_the_client_and_once_at_the_server() -> None:
    free, copying = run(compiled, nfs()), run(compiled, nfs(stack={"copies": True}))
    # 10 ns a byte at 100 MB/s.
    for cpu, times in (("a.cpu", 2), ("b.cpu", 1)):
        assert busy(*copying, cpu) - busy(*free, cpu) == times * 8192 * 10 * NS


def test_a_server_whose_data_come_from_elsewhere_copies_nothing() -> None:
    free, copying = run(compiled, nfs()), run(compiled, nfs(stack={"copies": True}, server={"copies": False}))
    assert busy(*copying, "b.cpu") == busy(*free, "b.cpu")


def test_a_transfer_that_fits_no_datagram_is_refused() -> None:
    with pytest.raises(RunError, match=r"workload 'nfs': 'b' sends datagrams of at most 8192 bytes, not 8320"):
        run(compiled, nfs(server={"datagram_send_space": "8 KiB"}))
