"""Copies of files: bytes from platter to platter, what is measured, what switches change, and what is refused."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from simio.components.site import Site
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.result.model import CaseResult
from simio.running import RunOptions, run_scenario

KIB, MIB = 1024, 2**20
SYSTEM = """
    title: Two hosts with two disks each
    hosts:
      near: {model: hosts/sgi-challenge-l}
      far: {model: hosts/sgi-onyx}
    disks:
      a: {model: disks/scsi2-1994, count: 2, width: 2 B, file_system: filesystems/efs}
      c: {model: disks/scsi2-1994, count: 2, width: 2 B, file_system: filesystems/efs}
      bare: {model: disks/scsi2-1994, width: 2 B}
    volumes:
      stripe: {kind: stripe, of: [a], unit: 64 KiB, file_system: filesystems/efs}
    links:
      - {model: links/hippi-800, between: [near.hippi, far.hippi], length: 10 m}
      - {model: links/scsi-fast-wide, between: [near.scsi0, a], length: 3 m}
      - {model: links/scsi-fast-wide, between: [near.scsi1, bare], length: 3 m}
      - {model: links/scsi-fast-wide, between: [far.scsi0, c], length: 3 m}
    workload:
"""
REMOTE = "from: near, from_storage: stripe, to: far, to_storage: c1, file: 300 KiB, window: 512 KiB"
READ, WRITTEN = "device: read", "device: written"


class Watched:
    """A block device that tells how much it was asked for."""

    def __init__(self, p, device) -> None:
        self.p, self.device = p, device
        self.name, self.capacity, self.sector = device.name, device.capacity, device.sector

    def read(self, at, size, aligned) -> None:
        self.device.read(at, size, aligned)
        self.p.mark(self.p.observation(READ, unit="bytes"), size)

    def write(self, at, size, aligned) -> None:
        self.device.write(at, size, aligned)
        self.p.mark(self.p.observation(WRITTEN, unit="bytes"), size)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    found = Site.device
    monkeypatch.setattr(Site, "device", lambda site, *names, **how: Watched(site.p, found(site, *names, **how)))

    def one(workload: str, *sets: str) -> CaseResult:
        path = tmp_path / "copies.yaml"
        path.write_text(dedent(SYSTEM) + f"  {workload}\n" + "run: {warm_up: auto}\n")
        return run_scenario(load(str(path), sets), sets, RunOptions("compiled")).cases[0]

    return one


def moved(case: CaseResult, name: str) -> int:
    """Bytes that the devices were asked for in a run after what is measured had begun."""
    (found,) = [seen for seen in case.observations if seen.name == name]
    return round(found.mean * found.count) // len(case.seeds)


LOADS = [
    f"ftp: {{{REMOTE}}}",
    f"ftp: {{{REMOTE}, buffer: 60 KiB, aligned: false}}",
    f"ftp: {{{REMOTE}, buffer: 960 KiB}}",
    f"ftp: {{{REMOTE}, buffer: 100 KiB, overlap: true}}",
    f"ftp: {{{REMOTE}, buffer: 64 KiB, overlap: true, buffers: 3}}",
    f"ftp: {{{REMOTE}, buffer: 64 KiB, overlap: true, access: raw, buffers: 4}}",
    f"ftp: {{{REMOTE}, sendfile: true}}",
    f"ftp: {{{REMOTE}, start_within: 200 ms}}",
    f"ftp: {{{REMOTE}, streams: 3}}",
    f"ftp: {{{REMOTE}, streams: 5, buffer: 60 KiB}}",
    f"rcp: {{{REMOTE}, setup: 700 ms}}",
    f"rcp: {{{REMOTE}, setup: 0 s, buffer: 100 KiB, aligned: false}}",
    "copy: {host: near, from: stripe, to: bare, file: 300 KiB, buffer: 60 KiB, access: raw}",
    "copy: {host: near, from: stripe, to: stripe, file: 300 KiB, buffer: 16 KiB}",
    "copy: {host: far, from: c1, to: c2, file: 300 KiB, buffer: 7 KiB}",
]


@pytest.mark.parametrize("load_", LOADS)
def test_bytes_are_conserved_from_platter_to_platter(run, load_: str):
    case = run(load_)
    assert case.status == "done"
    assert case.throughput.amount == 300 * KIB
    # A file system reads and writes whole pages, and 300 KiB are 75 of them.
    assert (moved(case, READ), moved(case, WRITTEN)) == (300 * KIB, 300 * KIB)
    assert [use.name for use in case.containers if use.unit == "bytes" and use.capacity is None and use.end] == []


def test_several_transfers_read_a_file_once_and_write_it_as_often_as_there_are(run):
    case = run(f"ftp: {{{REMOTE}, transfers: 3}}")
    assert case.throughput.amount == 3 * 300 * KIB
    assert moved(case, READ) == 300 * KIB
    assert moved(case, WRITTEN) == 3 * 300 * KIB
    assert [stream.name for stream in case.streams if not stream.sent] == ["ftp 1", "ftp 2", "ftp 3"]


@pytest.mark.parametrize(("size", "files"), [(8, 12), (20, 5), (300, 2)])
def test_files_are_read_and_written_one_after_another(run, size: int, files: int):
    remote = REMOTE.replace("file: 300 KiB", f"file: {size} KiB, files: {files}, setup: 0 s, nodelay: true")
    case = run(f"rcp: {{{remote}}}")
    assert case.throughput.amount == size * files * KIB
    assert (moved(case, READ), moved(case, WRITTEN)) == (size * files * KIB,) * 2


@pytest.mark.parametrize(("size", "files", "record"), [(8, 12, 10240), (20, 5, 10240), (300, 2, 65536)])
def test_an_archive_has_headers_whole_blocks_and_whole_records(run, size: int, files: int, record: int):
    remote = REMOTE.replace("file: 300 KiB", f"file: {size} KiB, files: {files}, setup: 0 s, record: {record} B")
    case = run(f"tar: {{{remote}}}")
    records = -(-(files * (size * KIB + 512) + 1024) // record)
    assert case.throughput.amount == records * record
    assert moved(case, READ) == size * files * KIB
    # The archive's last page is written whole.
    assert moved(case, WRITTEN) == -(-records * record // 4096) * 4096


def test_each_file_of_rcp_waits_for_a_delayed_acknowledgement_and_an_archive_for_none(run):
    remote = REMOTE.replace("file: 300 KiB", "file: 8 KiB, files: 20, setup: 0 s")
    # One buffer, then a byte that Nagle's rule holds back until the timer of 200 ms has acknowledged the buffer.
    waiting = run(f"rcp: {{{remote}}}").throughput.until
    assert waiting / 10**12 == pytest.approx(20 * 0.2, rel=0.05)
    assert run(f"rcp: {{{remote}, nodelay: true}}").throughput.until < waiting / 20
    assert run(f"tar: {{{remote}}}").throughput.until < waiting / 15


@pytest.mark.parametrize(
    "more",
    ["buffer: 60 KiB", "transfers: 3", "buffer: 100 KiB, overlap: true", "sendfile: true", "setup: 0 s"],
)
def test_a_file_in_the_cache_is_sent_without_its_disk(run, more: str):
    kind = "rcp" if "setup" in more else "ftp"
    case = run(f"{kind}: {{{REMOTE}, {more}, cached: true}}")
    number = 3 if "transfers" in more else 1
    assert case.throughput.amount == number * 300 * KIB
    assert READ not in [seen.name for seen in case.observations if seen.count]
    assert moved(case, WRITTEN) == number * 300 * KIB


def test_without_read_ahead_a_copy_waits_for_each_request(run):
    none = "volumes.stripe.file_system={model: filesystems/efs, read_ahead: 0 B}"
    for load_ in (f"ftp: {{{REMOTE}}}", f"ftp: {{{REMOTE}, transfers: 2}}"):
        assert moved(run(load_, none), READ) >= 300 * KIB
    copy = "copy: {host: near, from: stripe, to: stripe, file: 300 KiB, buffer: 16 KiB}"
    ahead, one = run(copy), run(copy, none)
    assert moved(ahead, READ) == moved(one, READ) == 300 * KIB
    assert one.throughput.until > 1.1 * ahead.throughput.until


def test_writers_that_could_wait_for_one_another_for_ever_are_refused(run):
    limit = "disks.c.file_system={model: filesystems/efs, dirty_limit: 128 KiB}"
    assert run(f"ftp: {{{REMOTE}, streams: 2}}", limit).status == "done"
    with pytest.raises(RunError, match="has 3 writers, which may gather 192 KiB; the dirty_limit of 'c1' is 128 KiB"):
        run(f"ftp: {{{REMOTE}, streams: 3}}", limit)


def test_rcp_is_measured_with_its_set_up_and_ftp_without_what_goes_before(run):
    slow, quick = (run(f"rcp: {{{REMOTE}, setup: {setup}}}") for setup in ("700 ms", "100 ms"))
    assert slow.throughput.since == quick.throughput.since == 0
    assert slow.throughput.until - quick.throughput.until == pytest.approx(600 * 10**9, rel=0.02)
    ftp = run(f"ftp: {{{REMOTE}}}")
    # Two connections, and a command and its reply twice, each a round trip of about a millisecond, go before.
    assert 3 * 10**9 < ftp.throughput.since < 50 * 10**9
    assert ftp.throughput.amount == 300 * KIB


def test_what_a_random_start_adds_is_not_measured(run):
    fixed, late = (run(f"rcp: {{{REMOTE}, setup: 100 ms, start_within: {within}}}") for within in ("0 s", "1 s"))
    one, other = (case.throughput.until - case.throughput.since for case in (fixed, late))
    assert late.throughput.since > one
    # A later start meets the disks at other places of their turns, of 9.38 ms each.
    assert other == pytest.approx(one, abs=2 * 9.38e9)


def test_sendfile_overlap_and_aligned_buffers_each_help(run):
    base = f"{REMOTE}, buffer: 64 KiB".replace("300 KiB", "8 MiB")
    plain, other, pages, sendfile, overlap = (
        run(f"ftp: {{{base}{more}}}").throughput
        for more in ("", ", aligned: false", ", aligned: true", ", sendfile: true", ", overlap: true")
    )
    assert plain == pages
    assert other.rate < plain.rate
    assert sendfile.rate >= plain.rate
    assert overlap.rate > plain.rate


def test_a_raw_copy_takes_the_sum_of_reads_and_writes(run):
    both = run("copy: {host: near, from: a1, to: bare, file: 4 MiB, buffer: 1 MiB, access: raw}")
    read = run("reader: {host: near, from: a1, size: 4 MiB, block: 1 MiB}", "run.warm_up=0 s")
    written = run("writer: {host: near, to: bare, size: 4 MiB, block: 1 MiB}", "run.warm_up=0 s")
    assert both.end == pytest.approx(read.end + written.end, rel=0.1)


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (f"ftp: {{{REMOTE}, to_storage: c}}".replace(", to_storage: c1", ""),
         "workload 'ftp' copies a file, which lies on one disk or volume; 'c' is a group of 2 disks"),
        (f"ftp: {{{REMOTE}, streams: 20}}", "use at most 19 streams"),
        (f"tar: {{{REMOTE}, files: 10000, setup: 0 s}}", "workload 'tar' needs 3.077 GB of 'c1', which holds"),
        (f"rcp: {{{REMOTE}, setup: 0 s}}".replace("stripe", "bare"),
         "workload 'rcp' copies a file, and 'bare' has no file_system; give it one"),
        (f"rcp: {{{REMOTE}, setup: 0 s, cached: true}}".replace("300 KiB", "201 MiB"),
         "workload 'rcp' has 201 MiB in the cache from before, which holds 200 MiB"),
        (f"ftp: {{{REMOTE}}}".replace("300 KiB", "9 GiB"), "workload 'ftp' needs 9 GiB of 'stripe', which holds"),
        ("copy: {host: near, from: bare, to: bare, file: 1200 MiB, buffer: 1 MiB, access: raw}",
         "workload 'copy' needs 2.517 GB of 'bare', which holds"),
        ("copy: {host: near, from: a1, to: bare, file: 1000 B, buffer: 100 B, access: raw}",
         "workload 'copy' has a buffer of 100 B; 'a1' takes whole sectors of 512 B"),
    ],
)  # fmt: skip
def test_what_cannot_be_copied(run, workload: str, said: str):
    with pytest.raises(RunError) as error:
        run(workload)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (f"ftp: {{{REMOTE}}}".replace("stripe", "c2"), "no path of links from 'near' to 'c2'"),
        (f"ftp: {{{REMOTE}}}".replace("to_storage: c1", "to_storage: a1"), "no path of links from 'far' to 'a1'"),
        (f"ftp: {{{REMOTE}}}".replace("stripe", "none"), "found the unknown disk, group of disks or volume 'none'"),
        (f"ftp: {{{REMOTE}, overlap: true, sendfile: true}}", "found sendfile with overlap"),
        (f"ftp: {{{REMOTE}, overlap: true, transfers: 2}}", "found 2, with overlap; expected 1"),
        (f"ftp: {{{REMOTE}, streams: 2, transfers: 2}}", "found 2, with transfers of 2; expected 1"),
        (f"ftp: {{{REMOTE}, streams: 2, overlap: true}}", "found 2, with overlap; expected 1"),
        (f"tar: {{{REMOTE}, files: 2, setup: 0 s, record: 1000 B}}", "found 1 kB; expected a multiple of 512 B"),
        (f"ftp: {{{REMOTE}, access: raw}}", "found raw without overlap; expected buffered"),
        (f"ftp: {{{REMOTE}, overlap: true, access: raw, cached: true}}",
         "found true with access raw; expected false"),
        (f"ftp: {{{REMOTE}, buffers: 3}}", "found 3 without overlap; expected 2"),
        ("copy: {host: near, from: a1, to: bare, file: 1000 KiB, buffer: 64 KiB, access: raw}",
         "expected a multiple of the buffer, 64 KiB, with access raw"),
        (f"rcp: {{{REMOTE}}}", "workload.rcp.setup"),
    ],
)  # fmt: skip
def test_what_a_scenario_may_not_say(run, workload: str, said: str):
    with pytest.raises(ScenarioError) as error:
        run(workload)
    assert said in str(error.value)
