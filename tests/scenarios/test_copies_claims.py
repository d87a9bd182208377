"""Claims of the scenarios of copies: the part that limits, and the gain from removing it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median

import pytest

from simio.loading import load
from simio.result.compare import comparisons
from simio.result.model import CaseResult
from simio.running import run_scenario

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parents[2] / "scenarios"
MIB = 2**20
TABLES = ("sgi-hippi-rcp", "sgi-hippi-ftp-16k", "sgi-hippi-ftp-60k", "sgi-hippi-ftp-960k")


@cache
def cases(name: str, *sets: str) -> tuple[CaseResult, ...]:
    return run_scenario(load(str(SCENARIOS / f"{name}.yaml"), sets), sets).cases


def rates(name: str, *sets: str) -> list[float]:
    return [float(case.rate) / MIB for case in cases(name, *sets)]


def test_the_tables_are_met_but_for_what_is_told_of_them():
    rows = [row for name in TABLES for case in cases(name) for row in comparisons(case)]
    assert len(rows) == 32
    assert all(row.error is not None for row in rows)
    assert median(abs(row.error) for row in rows) < 0.075
    far = [row for row in rows if abs(row.error) > 0.2]
    # Four are believed to be anomalies of the measurement, and three are known to be missed.
    assert [row.row.exempt for row in far] == [True] * 7


def hundred(kind: str) -> tuple[str, ...]:
    return (f"workload.{kind}.file=60 MiB", "run.replications=1", f"workload.{kind}.start_within=0 s")


def test_one_disk_at_a_time_is_what_small_buffers_keep_busy():
    striped, single = rates("sgi-hippi-ftp-16k", *hundred("ftp"))
    far = [
        f"volumes.data.file_system={{model: filesystems/efs, read_ahead: {size}}}" for size in ("16 KiB", "64 KiB")
    ]
    near, ahead = (rates("sgi-hippi-ftp-16k", *hundred("ftp"), one)[0] for one in far)
    assert near == striped
    assert ahead > 1.3 * striped
    assert single < 5
    # TCP's way with small segments has no part in it.
    assert rates("sgi-hippi-ftp-16k", *hundred("ftp"), "workload.ftp.nodelay=true")[0] == pytest.approx(
        striped, rel=0.01
    )


def test_larger_buffers_help_six_disks_and_do_one_no_good():
    (small, single), (medium, second), (large, third) = (
        rates(f"sgi-hippi-ftp-{size}", *hundred("ftp")) for size in ("16k", "60k", "960k")
    )
    assert 1.02 * small < medium < 0.9 * large
    assert max(second, third) < 1.01 * single


def test_read_ahead_that_follows_the_request_would_make_60_kib_faster_than_was_measured():
    most = "volumes.data.file_system={model: filesystems/efs, max_read_ahead: 124 KiB}"
    as_is, follows = (rates("sgi-hippi-ftp-60k", *hundred("ftp"), *sets)[0] for sets in ((), (most,)))
    assert as_is == pytest.approx(7.79, rel=0.05)
    assert follows > 1.15 * 7.79


def test_what_rcp_and_ftp_share_cannot_tell_them_apart():
    """rcp's rate without its set-up is that of ftp, for files whose measured rates differ by a quarter."""
    ftp = rates("sgi-hippi-ftp-16k", *hundred("ftp"))[0]
    rcp = rates("sgi-hippi-rcp", *hundred("rcp"), "workload.rcp.setup=0 s")[0]
    assert rcp == pytest.approx(ftp, rel=0.05)


def test_a_file_in_the_senders_cache_explains_no_table():
    """It makes six disks and one alike, as 1 MiB with large buffers was, but far too fast with small ones."""
    sets = ("workload.ftp.cached=true", "workload.ftp.file=1 MiB", "run.replications=20")
    large, small = (rates(f"sgi-hippi-ftp-{size}", *sets) for size in ("960k", "16k"))
    assert large[0] == pytest.approx(large[1], rel=0.05)
    assert min(small) > 1.5 * 3.97


def test_the_set_up_is_what_a_small_file_costs():
    quick = rates("sgi-hippi-rcp", *hundred("rcp"), "workload.rcp.file=1 MiB", "workload.rcp.setup=100 ms")[0]
    slow = rates("sgi-hippi-rcp", *hundred("rcp"), "workload.rcp.file=1 MiB")[0]
    # 600 ms less are three periods of the timer of delayed acknowledgements.
    assert 1 / slow - 1 / quick == pytest.approx(0.6, rel=0.02)


def test_two_transfers_fill_each_others_gaps():
    one, two = rates("sgi-hippi-two-ftp", *hundred("ftp"))
    assert 1.6 * one < two < 2 * one


def test_asynchronous_requests_reach_what_the_disks_have_and_copies_do_not():
    found = [rate * MIB / 1e6 for rate in rates("ftp-overlapped", "workload.ftp.file=60 MiB")]
    plain, sendfile, overlapped, *_ = found
    assert plain < sendfile < overlapped < 20
    assert max(found) > 20
    copied = cases("ftp-overlapped", "workload.ftp.file=60 MiB")[3]
    assert copied.limiter.name == "challenge.cpu"


def test_a_file_of_a_backup_costs_200_ms_alone_and_a_disks_answer_in_a_stream():
    small = ("workload.{}.file=8 KiB", "workload.{}.files=200")
    waiting, quick = cases("backup-rcp", *(one.format("rcp") for one in small))
    # The set-up, and a timer of 200 ms for each file, at whatever of its period the first one is.
    assert waiting.throughput.until / 10**12 == pytest.approx(0.7 + 200 * 0.2, rel=0.01)
    assert quick.throughput.until < waiting.throughput.until / 15
    stream = cases("backup-tar", *(one.format("tar") for one in small), "workload.tar.record=10240 B")[0]
    # A SCSI command for each file, of some 2 to 3 ms.
    assert 2e-3 < (stream.throughput.until / 10**12 - 0.7) / 200 < 3.5e-3


def test_streams_add_up_where_the_window_limits_and_meet_the_disks_elsewhere():
    near = [rates("slac-parallel-ftp", f"workload.ftp.streams={n}", "workload.ftp.file=16 MiB") for n in (1, 4)]
    (small, large, far), (small4, large4, far4) = near
    # 64 KiB a round trip of 10 ms are 6.25 MiB/s.
    assert far < 6.25
    assert far4 > 2.5 * far
    assert small4 > 1.5 * small
    assert large4 / large < far4 / far


def test_a_second_network_adapter_pays_and_a_second_port_next_to_nothing():
    found = rates("gige-dual-hba")
    one, port, large, adapter, both, all_ = found
    assert port == pytest.approx(one, rel=0.03)
    assert adapter > 1.3 * one
    assert large > 1.3 * one
    # Each disk gives its stream; two streams a port are more than the disks of one port give.
    assert both > 1.2 * large
    assert both < all_ < 1.05 * both
