"""The causal profile: gains that are known by hand, and those of ftp beside what is got when it is changed."""

from __future__ import annotations

from concurrent.futures import Future, wait
from dataclasses import replace
from fractions import Fraction

import pytest
from stations import JOB, MS, tandem

from simio.bound import bound
from simio.description.model import Case
from simio.errors import RunError
from simio.explaining import profile, waterfall
from simio.explaining.answers import Answer, Runner
from simio.explaining.components import components
from simio.explaining.model import CausalProfile, Gain
from simio.explaining.sentences import of_profile
from simio.explaining.stages import Traced
from simio.explaining.threads import alternations
from simio.lower import lower
from simio.running import Lowered, run_case

JOBS = 60


def runner_of(case: Case) -> Runner:
    return Runner(case, Lowered(lower(case.system)), run_case(case))


def rows(found: CausalProfile) -> dict[str, tuple[float, float, float]]:
    """Gains of each component, as the factor by which the whole becomes faster."""
    gains = {}
    for row in found.rows:
        assert row.slightly
        assert row.twice
        assert row.free
        gains[row.component.name] = (1 + row.slightly.gain, 1 + row.twice.gain, 1 + row.free.gain)
    return gains


def took(first: float, second: float) -> float:
    """Time of all jobs through two stations in a row, in ms: the slower one is never idle once it has begun."""
    return (first + second) + (JOBS - 1) * max(first, second)


def test_of_two_stations_in_a_row_only_the_slower_one_gains_anything_that_lasts():
    found = rows(profile(tandem(3 * MS, 2 * MS, JOBS)))
    whole = took(3, 2)
    for name, speeds in (("first", (3 / 1.1, 1.5, 0.003)), ("second", (2 / 1.1, 1, 0.002))):
        for speed, gained in zip(speeds, found[name], strict=True):
            after = took(speed, 2) if name == "first" else took(3, speed)
            assert gained == pytest.approx(whole / after, rel=1e-6)
    # Free, the first leaves what the second can; the second alone saves its time once, at the end.
    assert found["first"][2] == pytest.approx(1.5, abs=0.02)
    assert found["second"][2] == pytest.approx(1, abs=0.012)


def test_what_limits_next_is_the_other_station():
    after = profile(tandem(3 * MS, 2 * MS, JOBS)).next
    assert after is not None
    assert after.helped is not None
    assert (after.removed, after.limiter.kind, after.limiter.name) == ("first", "resource", "second")
    assert after.helps == "second"
    assert 1 + after.helped.gain == pytest.approx(took(0.003, 2) / took(0.003, 1), rel=1e-6)


def test_of_one_worker_each_station_gains_its_share_and_overlap_what_the_profile_predicts():
    case = tandem(3 * MS, 2 * MS, JOBS, overlap=False)
    found = profile(case)
    for name, own in (("first", 3.0), ("second", 2.0)):
        gains = [5 / (5 - own + own / factor) for factor in (1.1, 2, 1000)]
        assert rows(found)[name] == pytest.approx(gains, rel=1e-6)
    (each,) = found.alternations
    assert [(call.what, call.share) for call in each.calls] == [
        ("serves first", pytest.approx(0.6)),
        ("serves second", pytest.approx(0.4)),
    ]
    assert each.busiest == "first"
    assert float(each.overlapped) == pytest.approx(JOB * 10**12 / (3 * MS))
    # With a thread each the first is always busy: all but the first job's way through the second, which ends it.
    overlapped = run_case(tandem(3 * MS, 2 * MS, JOBS)).rate
    assert overlapped == Fraction(JOBS * JOB * 10**12, int(took(3, 2)) * MS)
    (switch,) = [each for each in found.what_ifs if "overlap" in each.what]
    assert switch.gain is not None
    assert switch.gain.rate == overlapped
    assert "worker does one thing at a time: serves first 60% of the time and serves second 40%" in "\n".join(
        of_profile(found)
    )


def test_equal_stations_gain_nothing_alone():
    found = rows(profile(tandem(2 * MS, 2 * MS, JOBS)))
    assert found["first"] == pytest.approx((1, 1, 1), abs=0.02)
    assert found["second"] == pytest.approx((1, 1, 1), abs=0.02)


def test_an_interrupt_leaves_what_is_known(monkeypatch):
    done = []
    started = Runner.start

    def finished(runner: Runner, lowered: Lowered) -> Future[Answer]:
        """Variants end before the next begins, so that the interrupt finds two of them done on any machine."""
        future = started(runner, lowered)
        wait([future])
        return future

    monkeypatch.setattr(Runner, "start", finished)

    def stop(number: int, _: int) -> None:
        done.append(number)
        if number == 3:
            raise KeyboardInterrupt

    found = profile(tandem(3 * MS, 2 * MS, JOBS), progress=stop)
    assert not found.complete
    assert [row.component.name for row in found.rows] == ["first", "second"]
    assert all(row.free for row in found.rows)
    assert found.next is None
    assert len(done) == 3


def test_a_long_run_is_cut_off_and_told(monkeypatch):
    case = tandem(3 * MS, 2 * MS, 200)
    whole = runner_of(case)
    monkeypatch.setattr("simio.explaining.answers.RUN_STEPS", 1000)
    short = runner_of(case)
    for runner in (whole, short):
        runner.stop()
    assert whole.notes == []
    (note,) = short.notes
    assert note.startswith("each variant was cut off at ")
    assert " of 602 ms simulated" in note
    assert float(short.base.rate) == pytest.approx(float(whole.base.rate), rel=0.02)


def test_a_variant_with_far_more_to_do_is_cut_off_and_told(monkeypatch):
    monkeypatch.setattr("simio.explaining.answers.VARIANT_STEPS", 1)
    runner = runner_of(tandem(3 * MS, 2 * MS, 100))
    more, much_more = (runner.of(Lowered(lower(tandem(3 * MS, 2 * MS, jobs).system))) for jobs in (200, 1000))
    runner.stop()
    assert runner.cut
    assert more.rate == run_case(tandem(3 * MS, 2 * MS, 200)).rate
    whole = run_case(tandem(3 * MS, 2 * MS, 1000)).rate
    assert much_more.rate != whole
    assert float(much_more.rate) == pytest.approx(float(whole), rel=0.02)


def test_variants_take_the_steps_that_there_are_for_them_and_no_more(monkeypatch):
    spent = []
    stopped = Runner.stop

    def stop(runner: Runner) -> None:
        spent.append((runner._all_steps - runner.left, runner._all_steps, runner._cost))
        stopped(runner)

    monkeypatch.setattr(Runner, "stop", stop)
    case = tandem(3 * MS, 2 * MS, JOBS)
    whole = profile(case)
    monkeypatch.setattr("simio.explaining.answers.ALL_STEPS", 2_000_000)
    part = profile(case)
    (needed, given, _), (taken, few, one) = spent
    assert needed < given
    assert whole.untried == 0
    # The last variants that are begun, two at a time, may take a little more than was reckoned with.
    assert few / 2 < taken < few + one
    assert taken < needed
    assert len([row for row in part.rows if row.twice]) < len([row for row in whole.rows if row.twice])


def test_where_nothing_was_tried_nothing_is_said_of_what_would_help(monkeypatch):
    monkeypatch.setattr(Runner, "affords", lambda *_: False)
    found = profile(tandem(3 * MS, 2 * MS, JOBS))
    assert found.rows == ()
    assert next(of_profile(found)) == "No component was made faster: what would help is not known."


def test_of_more_threads_than_can_be_followed_there_is_a_profile_without_an_account_of_threads(monkeypatch):
    monkeypatch.setattr("simio.explaining.stages.CROWD", 1)
    case = tandem(3 * MS, 2 * MS, JOBS)
    with pytest.raises(RunError, match="2 threads are too many to follow step by step"):
        Traced(case)
    found = profile(case)
    assert found.alternations == ()
    assert rows(found)["first"][1] == pytest.approx(1.5, abs=0.02)


def test_no_setting_gains_more_than_its_bound_allows(load, monkeypatch):
    monkeypatch.setattr("simio.explaining.variants.components", lambda _: [])
    on = ("linux-fc-raw.yaml", "disks.d.count=8")
    found = profile(load(*on).cases[0])
    assert found.limiter.name == "fabric>server.fc"
    (deeper,) = [each for each in found.what_ifs if each.what.startswith("requests that a thread")]
    changed = load(*on, "workload.reader.depth=2").cases[0]
    most = bound(lower(changed.system)).rate()
    # The link was busy all along; a short run with more outstanding could seem faster than it can be.
    assert deeper.gain.rate == run_case(changed).rate <= most


# --- ftp ----------------------------------------------------------------------------------------------------

COPIES = "copies on challenge"
OVERLAP = "a process each for disk and network at both ends (overlap)"
ON = ("workload.ftp.from_storage=data", "workload.ftp.to_storage=copies", "workload.ftp.file=10 MiB")


@pytest.fixture(scope="module")
def case(load):
    return load("sgi-hippi-ftp-960k.yaml", *ON, "run.replications=1").cases[0]


@pytest.fixture(scope="module")
def ftp(case):
    return profile(case)


@pytest.mark.slow
def test_ftp_is_limited_by_its_loop_and_by_copies_and_not_by_hippi(ftp):
    assert ftp.rows[0].component.name == COPIES
    by_name = {row.component.name: row for row in ftp.rows}
    hippi = by_name["hippi-800 challenge.hippi - onyx.hippi"]
    assert hippi.free.gain < 0.01 < 0.2 < ftp.rows[0].free.gain
    for disks in ("mechanism of volume data", "mechanism of volume copies"):
        assert abs(by_name[disks].free.gain) < 0.01
    threads = {each.thread: each for each in ftp.alternations}
    assert {call.what for call in threads["ftp: ftpd on challenge"].calls} == {
        "reads the file",
        "writes to the socket",
    }
    assert {call.what for call in threads["ftp: ftp on onyx"].calls} == {
        "reads from the socket",
        "writes the file",
    }


def test_overlapping_the_loop_gains_what_the_profile_predicts(ftp, load):
    before, after = (run_case(load("ftp-overlapped.yaml", ON[2]).cases[index]).rate for index in (0, 2))
    gained = float(after / before) - 1
    (switch,) = [each for each in ftp.what_ifs if each.what == OVERLAP]
    assert switch.gain.gain == pytest.approx(gained, abs=0.03)
    assert gained < float(ftp.alternations[0].overlapped / ftp.base) - 1


@pytest.mark.slow
def test_overlapped_ftp_comes_near_to_what_its_busiest_resource_allows(load):
    cases = load("ftp-overlapped.yaml", "run.until=4 s").cases
    (server, _) = alternations(Traced(cases[0]))
    assert server.busiest == "challenge.cpu"
    four_buffers = run_case(cases[3]).rate
    assert 0.88 * server.overlapped < four_buffers < server.overlapped


def test_a_little_less_copying_gains_its_share_of_the_critical_path(ftp, case):
    stages = waterfall(case).stages
    (copying,) = [stage for stage in stages if (stage.where, stage.what) == ("challenge", "copies")]
    predicted = 1 / (1 - copying.share * (1 - 1 / 1.1)) - 1
    assert ftp.rows[0].slightly.gain == pytest.approx(predicted, abs=0.012)


def test_sheets_say_what_belongs_together(case):
    found = {each.name: each for each in components(case.system)}
    assert found["system calls on onyx"].values == (
        "hosts.onyx.kernel.system_call",
        "hosts.onyx.stack.socket_call",
    )
    paths = [path for each in components(case.system) for path in each.values]
    assert not any("delayed_ack" in path or "rto_" in path or "reference_clock" in path for path in paths)
    both = "scsi-fast-wide challenge.scsi0 - volume data and 1 alike"
    assert {
        "links.link2.transfer_rate",
        "disks.b3.synchronous",
        "hosts.challenge.adapters.scsi1.synchronous",
    } < set(found[both].values)


def test_a_component_that_helps_only_when_it_is_much_faster_is_said_to_help_only_then():
    found = profile(tandem(3 * MS, 2 * MS, JOBS))
    helps = next(of_profile(found))
    row = found.rows[0]
    assert f"Making {row.component.name} faster helps most; it raises throughput: 10% faster +" in helps
    worse = replace(row, slightly=Gain(found.base * 9 / 10, -0.1))
    told = next(of_profile(replace(found, rows=(worse, *found.rows[1:]))))
    assert (
        f"{row.component.name} faster helps most; it raises throughput when free, and not always: 10% faster -10.0%"
        in told
    )
