"""Formats of traces: what each reads of lines as its own tools write them, and what is said of mistakes."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simio.formats.traces  # noqa: F401
from simio.errors import ScenarioError
from simio.formats.traces import files, lines
from simio.formats.traces.files import Choice, TraceFile
from simio.formats.traces.trace import FORMATS, Batch, LineBlock

US, MS, S = 10**6, 10**9, 10**12

SAMPLES = {
    "disksim-validation": "R Hit 1000 8 5000 2000.5\nW Miss 2000000 16 700 100\n\nR Hit 1008 4 900.25 0\n",
    "disksim-ascii": "0.5 0 7 8 1\n1.25 3 90 1 0\n2.0 0 1 2 0x11\n",
    "spc": "0,303567,3584,w,0.000000\n1,55590,3072,W,0.026214,5,more\n0,55596,3072,r,0.078643\n",
    "msr-cambridge": (
        "128166372003061629,usr,0,Read,7014609920,24576,41286\n"
        "128166372016382155,usr,1,Write,1317441536,8192,1963\n"
    ),
    "alibaba": "419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n",
    "fio-iolog-2": (
        "fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n/dev/sdb read 4096 8192\n/dev/sdb wait 150 0\n"
        "/dev/sdb wait 50 0\n/dev/sdb write 0 4096\n/dev/sdb close\n"
    ),
    "fio-iolog-3": (
        "fio version 3 iolog\n2 nvme0n1 add\n872 nvme0n1 open\n878 nvme0n1 write 0 16384\n"
        "888 nvme0n1 read 16384 512\n10001677 nvme0n1 close\n"
    ),
    "blkparse": (
        "  8,16   1        1     0.000000000  5529  A  WS 274432 + 8 <- (8,17) 272384\n"
        "  8,16   1        2     0.000001000  5529  Q  WS 274432 + 8 [dd]\n"
        "  8,16   1        3     0.000002000  5529  G  WS 274432 + 8 [dd]\n"
        "  8,16   1        4     0.000003000  5529  P   N [dd]\n"
        "  8,16   1        5     0.000004000  5529  D  WS 274432 + 8 [dd]\n"
        "  8,0    0        1     0.000100000    77  Q   R 8 + 16 [cat]\n"
        "  8,16   1        6     0.000204000     0  C  WS 274432 + 8 [0]\n"
        "CPU0 (sda):\n Reads Queued:           1,        8KiB\n"
    ),
}  # fmt: skip


def written(folder: Path, text: str, name: str = "a.trace") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def read(path: str, form: str, choice: Choice | None = None) -> list[Batch]:
    return [batch for batch, _ in TraceFile(path, FORMATS[form], choice or Choice()).batches()]


def requests(path: str, form: str, **choice: object) -> list[tuple[str, int, int, bool]]:
    """Device, first byte, bytes and whether it writes, of each request."""
    return [
        (batch.devices[device], place, size, writes)
        for batch in read(path, form, Choice(**choice))
        for device, place, size, writes in zip(
            batch.device.tolist(), batch.place.tolist(), batch.size.tolist(), batch.writes.tolist(), strict=True
        )
    ]


def times(path: str, form: str, what: str) -> list[int]:
    return [time for batch in read(path, form) for time in getattr(batch, what).tolist()]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "disksim-validation",
            [("", 512000, 4096, False), ("", 1024000000, 8192, True), ("", 1008 * 512, 2048, False)],
        ),
        ("disksim-ascii", [("0", 3584, 4096, False), ("3", 46080, 512, True), ("0", 512, 1024, False)]),
        (
            "spc",
            [("0", 303567 * 512, 3584, True), ("1", 55590 * 512, 3072, True), ("0", 55596 * 512, 3072, False)],
        ),
        ("msr-cambridge", [("usr_0", 7014609920, 24576, False), ("usr_1", 1317441536, 8192, True)]),
        ("alibaba", [("419", 8792731648, 16384, True), ("725", 59110326272, 360448, False)]),
        ("fio-iolog-2", [("/dev/sdb", 4096, 8192, False), ("/dev/sdb", 0, 4096, True)]),
        ("fio-iolog-3", [("nvme0n1", 0, 16384, True), ("nvme0n1", 16384, 512, False)]),
        ("blkparse", [("8,16", 274432 * 512, 4096, True), ("8,0", 4096, 8192, False)]),
    ],
)
def test_places_sizes_and_directions(tmp_path: Path, form: str, expected: list[tuple[str, int, int, bool]]) -> None:
    assert requests(written(tmp_path, SAMPLES[form]), form) == expected


@pytest.mark.parametrize(
    ("form", "what", "expected"),
    [
        ("disksim-validation", "response", [5000 * US, 700 * US, 900_250_000]),
        ("disksim-validation", "pause", [0, 2_000_500_000, 100 * US]),
        ("disksim-validation", "arrival", [0, 7_000_500_000, 7_800_500_000]),
        ("disksim-ascii", "arrival", [MS // 2, 5 * MS // 4, 2 * MS]),
        ("spc", "arrival", [0, 26_214 * US, 78_643 * US]),
        ("msr-cambridge", "arrival", [0, 13_320_526 * US // 10]),
        ("msr-cambridge", "response", [41286 * US // 10, 1963 * US // 10]),
        ("msr-cambridge", "pause", [0, (13_320_526 - 41286) * US // 10]),
        ("alibaba", "arrival", [0, 46 * US]),
        ("fio-iolog-2", "arrival", [0, 200 * US]),
        ("fio-iolog-2", "pause", [0, 200 * US]),
        ("fio-iolog-3", "arrival", [878 * US, 888 * US]),
        ("blkparse", "arrival", [US, 100 * US]),
        ("blkparse", "response", [203 * US, -1]),
        ("blkparse-issued", "response", [200 * US]),
    ],
)
def test_times(tmp_path: Path, form: str, what: str, expected: list[int]) -> None:
    sample = SAMPLES["blkparse" if form == "blkparse-issued" else form]
    assert times(written(tmp_path, sample), form, what) == expected


def test_a_compressed_trace_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(SAMPLES["spc"].encode()))
    assert requests(str(path), "spc") == requests(written(tmp_path, SAMPLES["spc"]), "spc")


def test_a_text_may_begin_with_a_mark_and_end_lines_as_windows_does(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + SAMPLES["spc"].replace("\n", "\r\n").encode())
    assert requests(str(path), "spc") == requests(written(tmp_path, SAMPLES["spc"]), "spc")


def test_a_long_name_does_not_take_room_in_every_line(tmp_path: Path) -> None:
    long = "d" * 5000
    path = written(tmp_path, f"{long},R,0,512,1\n" + "e,W,512,512,2\n" * 30000)
    assert [name for name, *_ in requests(path, "alibaba")[:2]] == [long, "e"]


def test_a_trace_that_is_written_anew_is_another(tmp_path: Path) -> None:
    path = written(tmp_path, FIVE)
    before = TraceFile(path, FORMATS["disksim-ascii"], Choice())
    assert before.summary.requests == 5
    written(tmp_path, f"{FIVE}50 0 32 3 1\n")
    after = TraceFile(path, FORMATS["disksim-ascii"], Choice())
    assert after.summary.requests == 6
    assert before != after


def test_a_broken_archive_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(SAMPLES["spc"].encode())[:-9])
    with pytest.raises(ScenarioError, match="a file that cannot be read"):
        read(str(path), "spc")


@pytest.mark.parametrize("form", list(SAMPLES))
def test_blocks_of_any_length_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    path = written(tmp_path, SAMPLES[form])
    whole = requests(path, form)
    arrivals = times(path, form, "arrival")
    summary = TraceFile(path, FORMATS[form], Choice()).summary
    monkeypatch.setattr(files, "READ", 7)
    assert requests(path, form) == whole
    assert times(path, form, "arrival") == arrivals
    files._summary.cache_clear()
    assert TraceFile(path, FORMATS[form], Choice()).summary == summary


def _by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "words", lambda data, separator: None)


@pytest.mark.parametrize("form", ["disksim-validation", "disksim-ascii", "spc", "msr-cambridge", "alibaba"])
def test_lines_read_one_by_one_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    path = written(tmp_path, SAMPLES[form])
    at_once = requests(path, form), times(path, form, "arrival")
    _by_line(monkeypatch)
    assert (requests(path, form), times(path, form, "arrival")) == at_once


DECIMAL = st.decimals(0, 10**9, places=6, allow_nan=False).map(str) | st.integers(0, 10**9).map(str)
LINE = st.tuples(DECIMAL, st.integers(0, 12), st.integers(0, 2**40), st.integers(1, 9999), st.integers(0, 9))


@given(st.lists(LINE, min_size=1, max_size=20))
def test_any_lines_are_read_alike_at_once_and_one_by_one(lines: list[tuple[str, int, int, int, int]]) -> None:
    data = "".join(f"{' '.join(map(str, line))}\n" for line in sorted(lines, key=lambda line: float(line[0])))

    def everything() -> list[object]:
        found = list(FORMATS["disksim-ascii"].batches([LineBlock(data.encode(), 1)], "f", ()))
        named = [[batch.devices[at] for at in batch.device.tolist()] for batch in found]
        arrays = [
            [getattr(batch, name).tolist() for name in ("arrival", "place", "size", "writes")] for batch in found
        ]
        return [named, arrays]

    with pytest.MonkeyPatch.context() as patch:
        at_once = everything()
        _by_line(patch)
        assert everything() == at_once


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("disksim-validation", "R Hit 1 8 5 6\nX Hit 1 8 5 6", "a.trace:2:1: found 'X'; expected R or W in column 1"),
        ("disksim-validation", "R Hit 1 8 5", "a.trace:1:1: found 5 columns; expected 6: read or write, (ignored)"),
        ("disksim-validation", "R Hit -1 8 5 6", "found '-1'; expected an address in units of 512 B in column 3"),
        ("disksim-validation", "R Hit 1 0 5 6", "expected a size above zero in units of 512 B in column 4"),
        ("disksim-validation", "R Hit 1 8 nan 6", "found 'nan'; expected a time in units of 1 us in column 5"),
        ("disksim-validation", "R Hit 1 8 5 -6", "found '-6'; expected a time in units of 1 us in column 6"),
        ("disksim-validation", "R Hit 1 8 5 1e12", "found '1e12'; expected less than a day in column 6"),
        ("disksim-validation", "\n\n", "a.trace:1:1: found no requests; expected a line for each request"),
        ("disksim-ascii", "1 0 7 8", "found 4 columns; expected 5: arrival, device, address, size, read or write"),
        ("disksim-ascii", "1 0 7 8 r", "found 'r'; expected a whole number, of which bit 0 is set for a read"),
        ("disksim-ascii", "2 0 7 8 1\n1 0 7 8 1", "a.trace:2:1: found an arrival before that of the request before"),
        ("spc", "0,1,512,r", "found 4 columns; expected 5 or more: device, address, size, read or write, arrival"),
        ("spc", "0,1,512,r,1e300", "found '1e300'; expected a time in units of 1 s in column 5"),
        ("alibaba", "1,T,0,512,5", "expected R or W in column 2; to leave such lines out, set ignore: ['T']"),
        ("alibaba", "1,R,0,512,5\n1,R,0,512,99999999999999", "expected a time at most 53 days after the first"),
        ("alibaba", "1,R,0,2147483648,5", "expected a size above zero in bytes in column 4, at most 1 GiB"),
        ("fio-iolog-2", "fio version 3 iolog\n", "'fio version 2 iolog' in the first line; use format: fio-iolog-3"),
        ("fio-iolog-3", "fio version 3 iolog\n5 f trim 0 512", "a.trace:2:1: found the action 'trim'; expected"),
        ("fio-iolog-3", "fio version 3 iolog\nx f read 0 512", "found 'x'; expected a time in us"),
        ("fio-iolog-3", "fio version 3 iolog\n1 f read 512", "found '512'; expected offset and length in bytes"),
        ("blkparse", "8,16 1 1 0.5 7 Q D 8 + 8 [x]", "found a discard (D); expected reads and writes"),
        ("blkparse", "8,16 1 1 0.5 7 Q R 8 - 8 [x]", "found '8 - 8'; expected sector + sectors"),
        ("blkparse", "8,16 1 1 half 7 Q R 8 + 8 [x]", "found 'half'; expected a time in seconds in column 4"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_line(tmp_path: Path, form: str, text: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        TraceFile(written(tmp_path, text), FORMATS[form], Choice()).summary  # noqa: B018
    assert message in str(caught.value)


def test_all_mistakes_are_told_at_once_up_to_twenty(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(written(tmp_path, "X\nR Hit 1 8 5 6\nY"), "disksim-validation")
    assert len(caught.value.problems) == 2
    with pytest.raises(ScenarioError) as caught:
        read(written(tmp_path, "X\n" * 100), "disksim-validation")
    assert len(caught.value.problems) == 20


def test_the_other_version_of_a_log_is_one_mistake(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(written(tmp_path, SAMPLES["fio-iolog-3"]), "fio-iolog-2")
    assert len(caught.value.problems) == 1


def test_a_line_without_end_is_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "READ", 4)
    with pytest.raises(ScenarioError, match="a line of more than 64 KiB"):
        read(written(tmp_path, "1" * 70000), "spc")


@pytest.mark.parametrize("form", ["fio-iolog-3", "blkparse", "blkparse, flush", "alibaba"])
def test_kinds_of_requests_may_be_left_out(tmp_path: Path, form: str) -> None:
    lines = {
        "fio-iolog-3": "fio version 3 iolog\n5 f trim 0 512\n6 f read 0 512\n",
        "blkparse": "8,16 1 1 0.5 7 Q D 8 + 8 [x]\n8,16 1 1 0.5 7 Q R 8 + 8 [x]\n",
        "blkparse, flush": "8,16 1 1 0.5 7 Q FWS [jbd2/sda1-8]\n8,16 1 1 0.5 7 Q R 8 + 8 [x]\n",
        "alibaba": "1,T,0,512,5\n1,R,0,512,6\n",
    }
    kind = {"fio-iolog-3": "trim", "blkparse": "discard", "blkparse, flush": "flush", "alibaba": "T"}[form]
    name = form.partition(",")[0]
    assert len(requests(written(tmp_path, lines[form]), name, ignore=(kind,))) == 1
    with pytest.raises(ScenarioError, match=f"set ignore: \\['{kind}'\\]"):
        requests(written(tmp_path, lines[form]), name)


FIVE = "0 0 0 8 1\n10 0 8 8 1\n20 0 16 8 1\n30 0 24 8 1\n40 0 32 3 1\n"


@pytest.mark.parametrize(
    ("choice", "places"),
    [
        ({"first": 2, "last": 3}, [8, 16]),
        ({"since": 10 * MS, "until": 30 * MS}, [8, 16]),
        ({"first": 3, "until": 40 * MS}, [16, 24]),
        ({"first": 5}, [32]),
    ],
)
def test_a_range_of_requests(tmp_path: Path, choice: dict[str, int], places: list[int]) -> None:
    found = requests(written(tmp_path, FIVE), "disksim-ascii", **choice)
    assert [place for _, place, _, _ in found] == [512 * place for place in places]


def test_a_range_without_requests_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="found no requests"):
        TraceFile(written(tmp_path, FIVE), FORMATS["disksim-ascii"], Choice(first=6)).summary  # noqa: B018


def test_what_lies_behind_the_range_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "READ", 4)
    path = written(tmp_path, f"{FIVE}a mistake\n")
    assert len(requests(path, "disksim-ascii", last=3)) == 3


def test_requests_are_widened_to_whole_blocks(tmp_path: Path) -> None:
    found = requests(written(tmp_path, FIVE), "disksim-ascii", align=8192)
    assert [(place, size) for _, place, size, _ in found] == [
        (0, 8192), (0, 8192), (8192, 8192), (8192, 8192), (16384, 8192)
    ]  # fmt: skip


def test_a_little_disorder_counts_as_simultaneous(tmp_path: Path) -> None:
    path = written(tmp_path, "1 0 0 8 1\n0.999 0 8 8 1\n2 0 8 8 1\n")
    with pytest.raises(ScenarioError, match="by 1 us; .*with disorder: 1 us they would"):
        read(path, "disksim-ascii")
    (batch,) = read(path, "disksim-ascii", Choice(disorder=US))
    assert batch.arrival is not None
    assert batch.arrival.tolist() == [MS, MS, 2 * MS]


def test_the_summary_has_each_device(tmp_path: Path) -> None:
    summary = TraceFile(written(tmp_path, SAMPLES["spc"]), FORMATS["spc"], Choice()).summary
    assert summary.requests == 3
    first, second = summary.devices
    assert (first.name, first.requests, first.end) == ("0", 2, 303567 * 512 + 3584)
    assert (first.reads, first.writes, first.grain) == ({3072}, {3584}, 512)
    assert (second.name, second.reads, second.writes) == ("1", frozenset(), {3072})


def test_different_requests_have_different_identities(tmp_path: Path) -> None:
    path = written(tmp_path, FIVE)
    (tmp_path / "other").mkdir()
    trace = TraceFile(path, FORMATS["disksim-ascii"], Choice())
    same = TraceFile(written(tmp_path / "other", FIVE), FORMATS["disksim-ascii"], Choice())
    other = TraceFile(written(tmp_path, f"{FIVE}50 0 32 3 1\n", "b"), FORMATS["disksim-ascii"], Choice())
    assert trace == same
    assert trace != TraceFile(path, FORMATS["disksim-ascii"], Choice(first=2))
    assert trace != other


def test_pauses_follow_from_arrivals_and_responses_across_blocks(tmp_path: Path, monkeypatch) -> None:
    lines = "".join(f"{1000 * number},h,0,Read,0,512,{300 * number}\n" for number in range(1, 6))
    path = written(tmp_path, lines)
    whole = times(path, "msr-cambridge", "pause")
    assert whole == [0, 700 * US // 10, 400 * US // 10, 100 * US // 10, 0]
    monkeypatch.setattr(files, "READ", 7)
    assert times(path, "msr-cambridge", "pause") == whole


def test_measured_responses_are_those_that_are_known(tmp_path: Path) -> None:
    responses = TraceFile(written(tmp_path, SAMPLES["blkparse"]), FORMATS["blkparse"], Choice()).summary.responses
    assert responses is not None
    assert responses.steps()[0].tolist() == [203 * US]
    assert isinstance(responses.steps()[0], np.ndarray)
