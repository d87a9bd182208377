"""NFS over TCP: bytes of its messages, connections taken in turn, slots, threads of the server, and COMMIT."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from net_bench import NS, US
from tcp_net import FREE, QUICK, busy, marks, run, station, system

from simio.description.messages import MESSAGES, SESSIONS
from simio.engines import compiled

MS = 1000 * US
KIB = 1024
SILENT: dict[str, Any] = {
    **FREE,
    "copies": False,
    "send_space": "1 MiB",
    "receive_space": "1 MiB",
    "rfc1323": "large",
}
ACKED: dict[str, Any] = {"ack_every": 1, "initial_window": 100}


def nfs(server: dict[str, Any] | None = None, client: dict[str, Any] | None = None, **params: Any) -> Any:
    """A client a and a server b of four CPUs; stacks, adapters and interrupts cost nothing unless said otherwise."""
    given = {"from": "a", "to": "b", "transport": "tcp", "size": "64 KiB", "transfer": "8 KiB", **params}
    own = {"a": client or {}, "b": server or {}}
    ends = [station(name, {**SILENT, **ACKED, **own[name]}, 4, 0, **QUICK) for name in "ab"]
    return system(*ends, workload={"nfs": given})


def took(engine: ModuleType, described: Any) -> list[int]:
    """Times in ps of the program's calls."""
    return [value for _, value in marks(*run(engine, described), "nfs: block")]


def test_messages_of_version_4_have_the_words_of_its_definition() -> None:
    call = 24 + 48 + 4 * len(["tag", "minor", "operations"])
    reply = 24 + 4 * len(["status", "tag", "results"])
    handle = 4 * len(["putfh", "length"]) + 32
    sequence, answered = 4 + 16 + 16, 8 + 16 + 20
    m, sessions = MESSAGES[4], MESSAGES[SESSIONS]
    assert m.read == call + handle + 4 + 16 + 8 + 4
    assert m.read_reply == reply + 8 + 8 + 4 + 4
    assert m.commit == call + handle + 4 + 8 + 4
    assert m.commit_reply == reply + 8 + 8 + 8
    assert sessions.read - m.read == sequence
    assert sessions.read_reply - m.read_reply == answered
    assert len(m.opening) == len(m.closing) == 1


def test_a_read_takes_the_time_of_its_segments(engine: ModuleType) -> None:
    program, outcome = run(engine, nfs(size="4 KiB", transfer="4 KiB"))
    # The call: a record mark of 4 bytes, 120 of RPC and NFS, a header of 52. The reply: 4 and 128 bytes and the page,
    # in two full segments of 1448 bytes and one of 1332. A frame adds 26 bytes, and a gap of 12 to the one before.
    call, last = 4 + 120 + 52, 4 + 128 + 4096 - 2 * 1448 + 52
    wire = call + 26 + 2 * (1500 + 26 + 12) + last + 26
    # Buses move 400 MB/s: the call at both ends, the first of the reply before it goes, the last when it has come.
    buses = 2 * call + 1500 + last
    assert [value for _, value in marks(program, outcome, "nfs: block")] == [(wire * 16 + buses * 5) * NS // 2]
    assert [size for _, size in marks(program, outcome, "delivered")] == [4096]


@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize("version", [3, 4])
def test_every_byte_of_a_file_arrives_once(engine: ModuleType, access: str, version: int) -> None:
    described = nfs(access=access, version=version, size="99 KiB", block="12 KiB", nconnect=3, programs=2, nfsds=3)
    program, outcome = run(engine, described)
    assert sum(size for _, size in marks(program, outcome, "delivered")) == 2 * 99 * KIB


def test_calls_take_connections_in_turn() -> None:
    """Four READs are asked for at once; a reply takes its connection at the server 1 ms."""
    slow = {"buffer_cost": "1 ms"}
    first = [took(compiled, nfs(slow, size="32 KiB", block="32 KiB", nconnect=n))[0] // MS for n in (1, 2, 4)]
    assert first == [4, 2, 1]


def test_slots_are_of_a_connection_and_with_version_4_1_of_the_mount() -> None:
    slow = {"nfs_server": "1 ms"}

    def first(**params: Any) -> int:
        return took(compiled, nfs(slow, size="32 KiB", block="32 KiB", nconnect=2, **params))[0] // MS

    assert first() == 1
    assert first(slots=1) == first(slots=1, version=4, minorversion=0) == 2
    assert first(slots=1, version=4, minorversion=1) == 4
    assert first(slots=2, version=4, minorversion=1) == 2


def test_each_request_keeps_a_thread_of_the_server_until_it_is_answered() -> None:
    slow = {"nfs_server": "1 ms"}
    first = [took(compiled, nfs(slow, size="64 KiB", block="64 KiB", nfsds=n))[0] // MS for n in (1, 2, 4)]
    assert first == [8, 4, 2]


def test_read_ahead_is_a_window_beyond_what_the_program_reads() -> None:
    """Each READ takes 1 ms at the server. A window of two is asked for beyond a block of one."""
    slow = {"nfs_server": "1 ms"}
    none = took(compiled, nfs(slow, size="64 KiB", block="8 KiB", read_ahead="0 B"))
    ahead = took(compiled, nfs(slow, size="64 KiB", block="8 KiB", read_ahead="16 KiB"))
    # Without it, the page cache still asks for the next block while the program takes one.
    assert sum(none) // MS == 4
    assert sum(ahead) // MS == 2


def test_a_close_waits_for_what_was_written_and_for_one_commit(engine: ModuleType) -> None:
    program, outcome = run(engine, nfs(access="write", stable="10 ms"))
    closed = marks(program, outcome, "nfs: closed")[0][0]
    assert 10 * MS < closed < 11 * MS
    assert busy(program, outcome, "nfs: disk of b") == 10 * MS


def test_version_4_opens_and_closes_with_a_call_each() -> None:
    slow = {"nfs_server": "1 ms"}
    ends = [run(compiled, nfs(slow, size="8 KiB", version=v, block="8 KiB"))[1].end // MS for v in (3, 4)]
    # GETATTR and READ; OPEN, READ and CLOSE.
    assert ends == [2, 3]


def test_arrivals_wait_for_nothing_but_the_server() -> None:
    slow = {"nfs_server": "1 ms"}
    given = {"size": "80 KiB", "arrivals": {"rate": "10000 /s", "process": "constant"}}
    program, outcome = run(compiled, nfs(slow, **given))
    times = [value // MS for _, value in marks(program, outcome, "nfs: operation")]
    # Four CPUs of the server for ten that come 0.1 ms apart.
    assert len(times) == 10
    assert (times[0], times[-1]) == (1, 2)
