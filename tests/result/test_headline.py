"""The throughput that a run reports is one that was delivered over a time, below a bound, or says why it is not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from textwrap import dedent

import pytest
from click.testing import CliRunner

from simio.bound import bound
from simio.cli.main import main
from simio.engines import reference
from simio.engines.outcome import Options
from simio.loading import load
from simio.program.builder import Builder
from simio.program.steps import Program
from simio.result import measure
from simio.result.headline import AHEAD, BEHIND, reported
from simio.result.measure import SHORT
from simio.result.model import CaseResult, Throughput
from simio.running import run_case, run_scenario

US = 1_000_000
DISK = """\
title: One disk
hosts:
  h: {model: hosts/linux-2002-dual-p3, adapters: {scsi: {model: adapters/aic-7899, bus: pci}}}
disks:
  d: {model: disks/atlas-10k, file_system: filesystems/ext2}
links:
  - {model: links/scsi-ultra160, between: [h.scsi, d], length: 2 m}
"""
PAIR = """\
title: Two hosts
hosts:
  a: {model: hosts/sun-e450-400}
  b: {like: a}
links:
  - {model: links/ethernet-1000, between: [a.ge, b.ge], length: 10 m}
"""


@pytest.fixture
def run(tmp_path: Path):
    def one(system: str, rest: str, *sets: str) -> CaseResult:
        path = tmp_path / "s.yaml"
        path.write_text(system + dedent(rest))
        return run_scenario(load(str(path), sets), sets).cases[0]

    return one


def phases(*spans: tuple[int, int]) -> Program:
    """Deliveries of 100 bytes: for each (count, us) so many, so far apart, in loops of their own."""
    p = Builder()
    done, busy = p.observation("done", "delivered", "bytes"), p.resource("server")
    with p.thread("work"):
        for count, apart in spans:
            with p.loop(count), p.hold(busy):
                p.advance(apart * US)
                p.mark(done, 100)
    return p.build()


def answer(
    program: Program, warm: int | str = "auto", until: int | None = None
) -> tuple[Throughput, Fraction | None]:
    outcome = reference.run(program, Options() if until is None else Options(until))
    span, cap = reported(program, outcome, warm, bound(program))
    return span, cap.rate if cap else None


def test_a_steady_part_of_less_than_half_the_time_is_none():
    # 20 deliveries in 2000 us and 80 in 80 us: the rule of smallest error would keep the last 80 us only.
    span, most = answer(phases((20, 100), (80, 1)))
    assert span == Throughput(10_000, 0, 2080 * US, 100, SHORT)
    assert span.rate == most


def test_a_given_warm_up_does_not_lift_the_answer_above_the_bound():
    # The same after 2000 us: 100 MB/s then, of a work that can be done at 4.8 MB/s.
    span, most = answer(phases((20, 100), (80, 1)), warm=2000 * US)
    assert span == Throughput(10_000, 0, 2080 * US, 100, AHEAD)
    assert span.rate == most == Fraction(10_000 * 10**12, 2080 * US)


def test_the_steady_part_has_the_bound_of_what_is_done_in_loops():
    # 1000 us go by before the loop; after that the server carries 100 bytes in 10 us, and the answer is just that.
    p = Builder()
    done, server = p.observation("done", "delivered", "bytes"), p.resource("server")
    with p.thread("work"), p.hold(server):
        p.advance(1000 * US)
        with p.loop(200):
            p.advance(10 * US)
            p.mark(done, 100)
    program = p.build()
    assert bound(program).rate() == Fraction(20_000 * 10**12, 3000 * US)
    span, most = answer(program, warm=1)
    assert (span.since, span.rate, span.note) == (1010 * US, Fraction(10**7), "")
    assert most == Fraction(10**7)


def test_bytes_under_way_when_the_span_begins_do_not_count():
    # A stage takes 10 us a block; half of the second block is done when the first is delivered, after 15 us. The last
    # 19 blocks come in the 185 us until 200 us: 50 bytes more than the stage gives in that time.
    p = Builder()
    done, server = p.observation("done", "delivered", "bytes"), p.resource("server")
    ready = p.container("ready", unit="blocks")
    with p.thread("first"), p.loop(20):
        with p.hold(server):
            p.advance(10 * US)
        p.put(ready, 1)
    with p.thread("second"):
        p.advance(15 * US)
        with p.loop(20):
            p.get(ready, 1)
            p.advance(1)
            p.mark(done, 100)
    span, most = answer(p.build(), warm=1)
    assert (span.since, span.until, span.amount) == (15 * US + 1, 200 * US + 1, 1850)
    assert (span.rate, most) == (Fraction(10**7), Fraction(10**7))


def test_of_a_run_that_is_cut_off_those_threads_may_be_further_that_need_least():
    # 100 bytes take one thread 100 us of the server and the other 1 us. All 20 blocks: 2000 bytes in 1010 us; but the
    # fast thread's blocks are all done after 20 us.
    p = Builder()
    server, done = p.resource("server"), [p.observation(name, "delivered", "bytes") for name in ("slow", "fast")]
    for which, time in enumerate((100, 1)):
        with p.thread(str(which)), p.loop(10):
            with p.hold(server):
                p.advance(time * US)
            p.mark(done[which], 100)
    program = p.build()
    whole = Fraction(2000 * 10**12, 1010 * US)
    assert bound(program).whole.rate == whole
    span, most = answer(program, 0, until=150 * US)
    assert whole < span.rate <= most == Fraction((1000 + Fraction(1400, 10)) * 10**12, 150 * US)


def test_a_file_read_twice_does_not_show_the_cache_alone(run):
    case = run(DISK, "workload: {reader: {host: h, from: d, access: nocopy, block: 128 KiB, size: 5 MiB, passes: 2}}")
    assert case.notes == (SHORT,)
    assert case.throughput.amount == 10 * 2**20
    assert case.rate == Fraction(10 * 2**20 * 10**12, case.throughput.until) < case.bound


def test_one_frame_counts_for_as_long_as_it_is_shown(run):
    case = run(
        PAIR, "workload: {play: {from: a, to: b, rate: 1 Mbit/s, frame: 100000 B, frames: 1, buffer: 256 KiB}}"
    )
    assert case.throughput.until == case.end
    assert case.rate <= case.bound == Fraction(125_000)
    # Its time counts, so that it is not said to be left out.
    assert case.notes == (BEHIND,)


def test_datagrams_count_for_the_bound_beside_a_connection(run):
    case = run(
        PAIR,
        """\
        workload:
          ttcp: {from: a, to: b, size: 4 KiB, writes: 1}
          datagrams: {from: a, to: b, size: 100 B, count: 300}
        """,
    )
    assert sum(stream.rate for stream in case.streams if not stream.sent) == case.rate
    assert case.rate <= case.bound


def test_an_amount_that_the_run_draws_has_no_bound(run):
    rest = """\
        workload:
          reader: {host: h, from: d, access: raw, block: {512 B: 1, 64 KiB: 3}, size: 512 KiB, pattern: random}
        faults:
          - {kind: read_errors, of: d, unreadable: [233], rereads: 3}
        """
    assert run(DISK, rest).bound is None


def test_nfs_writes_count_up_to_the_commit(load):
    scenario = load("data-server-writes.yaml")
    found = [case for case in run_scenario(scenario).cases if case.settings]
    assert found
    for case in found:
        assert case.throughput.until == case.end or case.status != "done"


def test_writes_that_the_cache_has_taken_are_ahead_of_the_disk(run):
    rest = "workload: {writer: {host: h, to: d, access: buffered, block: 64 KiB, size: 16 MiB}}\n"
    whole, cut = run(DISK, rest), run(DISK, rest, "run.until=100 ms", "run.warm_up=0 s")
    # The disk takes 709 ms for 16 MiB, of which the program has put more than half into the cache after 100 ms.
    assert cut.throughput.amount > 8 * 2**20
    assert cut.rate <= cut.bound
    # The cache's rate is not the disk's: of the whole run, which lasts as long as the disk writes.
    assert (whole.throughput.until, whole.notes) == (whole.end, (AHEAD,))
    assert whole.rate <= whole.bound


TODAY = """\
title: One drive of today
hosts:
  h: {model: hosts/server-2023-2s}
disks:
  d: {model: disks/datacentre-tlc-2023, file_system: FILES}
links:
  - {model: links/nvme, between: [h.nvme, d]}
"""


def test_bytes_that_only_the_page_cache_has_are_told(run):
    rest = "workload: {writer: {host: h, to: d, access: buffered, block: 1 MiB, size: 64 MiB}}\n"
    limits = "{model: filesystems/ext4, dirty_background: 16 MiB, dirty_limit: 32 MiB}"
    large, small = TODAY.replace("FILES", "filesystems/ext4"), TODAY.replace("FILES", limits)
    told = " of the bytes were only in the page cache when the run ended: they have yet to be written back"
    # A tenth of the host's memory may be dirty before the kernel writes back.
    assert run(large, rest).notes == (f"100%{told}",)
    assert run(large, rest, "run.until=5 ms").notes == (f"100%{told}",)
    # Writers wait between the limits, at 28 MiB: less than that of 64 MiB is dirty at the end.
    note, buffered = run(small, rest).notes
    assert note.endswith(told)
    assert buffered.startswith("more than half of what was written only filled the write buffer of d")
    assert 20 < int(note.split("%")[0]) <= 44
    # Flushed bytes are on the device.
    assert not any("page cache" in note for note in run(large, rest, "workload.writer.sync=true").notes)


def test_bytes_that_later_writes_replaced_in_the_page_cache_are_told(run):
    rest = "workload: {writer: {host: h, to: d, access: buffered, block: 1 MiB, size: 16 MiB, passes: 8}}\n"
    told = "% of the bytes were never written back: later writes replaced them in the page cache"
    assert run(TODAY.replace("FILES", "filesystems/ext4"), rest).notes == (f"88{told}, and 12% have yet to be",)
    # Flushed bytes are on the device, once a pass.
    limits = "{model: filesystems/ext4, dirty_background: 2 MiB, dirty_limit: 4 MiB}"
    assert not any("replaced" in note for note in run(TODAY.replace("FILES", limits), rest).notes)


def test_work_behind_what_was_handed_over_is_told():
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    with p.thread("program"), p.loop(20):
        p.advance(US)
        p.mark(done, 1000)
    with p.thread("behind"):
        p.wait(p.register(60 * US))
    program = p.build()
    span, _ = reported(program, reference.run(program, Options()), "auto", bound(program))
    assert span.note == (
        "bytes count when they are handed over: the work behind them went on until 60 us, 3 times as long"
    )


@pytest.mark.parametrize(("silent", "told"), [(5, True), (2, False)])
def test_a_run_in_which_requests_starve_is_told(silent: int, told: bool) -> None:
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    with p.thread("program"):
        with p.loop(10):
            p.advance(US)
            p.mark(done, 1000)
        p.advance(100 * US)
        p.mark(done, 1000)
    program = p.build()
    outcome = reference.run(program, Options(until=(10 + silent) * US))
    span, _ = reported(program, outcome, 0, bound(program))
    expected = "nothing was delivered after 10 us, though the run went on until 15 us: the rate is that until then"
    assert span.note == (expected if told else "")


def test_a_share_of_a_loop_is_whole_before_what_it_does_repeats():
    # One write in 16 is followed by a flush of 4 pieces: 100 writes make 6 flushes, which are 24 pieces and not 25.
    p = Builder()
    done, disk, due = p.observation("done", "delivered", "bytes"), p.resource("disk"), p.register
    with p.thread("work"):
        count = due(0)
        with p.loop(100):
            p.mark(done, 10)
            count.set(count + 1)
            with p.when(count == 16, share=Fraction(1, 16)):
                with p.loop(4), p.hold(disk):
                    p.advance(5)
                count.set(0)
    limit = bound(p.build()).tightest
    assert (limit.name, limit.time) == ("disk", 6 * 4 * 5)


def test_nothing_delivered_says_when_the_first_delivery_comes(run):
    rest = "workload: {reader: {host: h, from: d, access: raw, block: 1 MiB, size: 64 MiB}}\n"
    first = run(DISK, rest, "run.warm_up=0 s").observations[0].most
    case = run(DISK, rest, "run.until=1 us")
    assert case.rate == 0
    (note,) = case.notes
    assert note.startswith("nothing was delivered within 1 us: the first delivery comes after ")
    assert note.endswith(" ms. Make run.until longer")
    took = float(note.split("after ")[1].split(" ms")[0])
    assert took * 1e9 == pytest.approx(first, rel=0.01)


def test_the_first_line_says_that_nothing_was_delivered(tmp_path: Path):
    path = tmp_path / "s.yaml"
    path.write_text(DISK + "workload: {reader: {host: h, from: d, access: raw, block: 1 MiB, size: 64 MiB}}\n")
    shown = CliRunner().invoke(main, ["run", str(path), "--set", "run.until=1 us"]).output
    assert shown.splitlines()[2].startswith("0 MB/s   nothing was delivered within 1 us: the first delivery comes")


def test_a_few_deliveries_of_a_run_that_is_cut_off_are_said_to_be_few(run):
    rest = "workload: {reader: {host: h, from: d, access: raw, block: 1 MiB, size: 64 MiB}}\n"
    case = run(DISK, rest, "run.until=100 ms")
    assert case.throughput.deliveries < 4
    assert case.notes[0].startswith(
        f"only {case.throughput.deliveries} deliveries within the run: the first came after"
    )


def test_observations_of_a_random_case_are_those_of_all_its_runs(run):
    rest = "workload: {reader: {host: h, from: d, access: raw, block: 4 KiB, size: 400 KiB, pattern: random}}\n"
    both = run(DISK, rest, "run.replications=3", "run.seed=5")
    alone = [run(DISK, rest, "run.replications=1", f"run.seed={seed}") for seed in (5, 6, 7)]
    (seen,), ones = both.observations, [case.observations[0] for case in alone]
    assert seen.count == sum(one.count for one in ones)
    assert seen.p99 == round(fmean(one.p99 for one in ones))
    assert (seen.least, seen.most) == (min(one.least for one in ones), max(one.most for one in ones))
    assert seen.mean == pytest.approx(fmean(one.mean for one in ones))
    # Student's t of two degrees of freedom, 4.303, times the standard error.
    spread = [one.p99 - fmean(each.p99 for each in ones) for one in ones]
    assert seen.half_widths[3] == pytest.approx(4.303 * (sum(each**2 for each in spread) / 2 / 3) ** 0.5)
    assert alone[0].observations[0].half_widths is None
    assert both.streams[0].rate == sum(case.streams[0].rate for case in alone) / 3


def test_the_bound_of_several_runs_holds_for_their_mean(tmp_path: Path) -> None:
    # The first run delivers one transaction; in the second a block is written as well.
    (tmp_path / "mixed.yaml").write_text("""
title: A transaction, and blocks that arrive at random
hosts: {a: {model: hosts/nvme-icpe24, kernel: {model: kernels/linux-6.3, scheduler: mq-deadline}}}
disks: {d: {model: disks/optane-p5800x, count: 2, capacity: 64 GB}}
volumes: {v: {kind: mirror, of: d}}
links: [{model: links/nvme, between: [a.nvme, d], length: 0 m}]
workload:
  w0: {kind: database, host: a, data: v, log: v, clients: 1, reads: 0, writes: 3, record: 1 KiB, pages: 20000}
  w1: {kind: writer, host: a, to: v, access: direct, block: 128 KiB, size: 8 GiB, arrivals: {rate: 2000 /s}}
run: {seed: 746, until: 300 us, replications: 2, warm_up: 0 s}
""")
    result = run_case(load(str(tmp_path / "mixed.yaml")).cases[0])
    assert result.half_width
    assert result.bound is not None
    assert result.rate <= result.bound


def test_streams_add_up_to_a_throughput_that_leaves_out_what_was_under_way() -> None:
    program = phases((20, 10))
    outcome = reference.run(program, Options())
    whole = measure.whole(program, outcome)
    less = replace(whole, amount=whole.amount * 9 // 10)
    assert sum(stream.rate for stream in measure.stream_rates(program, outcome, whole)) == whole.rate
    assert sum(stream.rate for stream in measure.stream_rates(program, outcome, less)) == less.rate


@pytest.mark.parametrize(("block", "depth"), [("8 MiB", 16), ("1 MiB", 256)])
def test_large_blocks_of_two_drives_do_not_come_faster_than_their_lanes(
    tmp_path: Path, block: str, depth: int
) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        dedent("""\
        title: Two drives
        hosts: {server: {model: hosts/server-2023-2s}}
        disks: {d: {model: disks/datacentre-tlc-2023, count: 2}}
        links:
          - {model: links/nvme, between: [server.nvme, d]}
        workload:
          reader: {host: server, from: d, pattern: random, block: 8 MiB, size: 100 GiB, depth: 16}
        run: {until: 20 ms, warm_up: auto, replications: 1}
        """)
    )
    sets = (f"workload.reader.block={block}", f"workload.reader.depth={depth}")
    case = run_scenario(load(str(path), sets), sets).cases[0]
    # The steady part counts, less what was under way when it began.
    assert case.throughput.since > 0
    # PCI Express 4.0, four lanes, 16 Gbit/s of 128b/130b each, less headers: 7.1 GB/s a drive.
    assert case.bound is not None
    assert case.throughput.rate <= case.bound < 2 * 4 * 16e9 / 8 * 128 / 130
