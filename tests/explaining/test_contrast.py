"""Two systems beside one another: shares that are known by hand, and what counts as one change."""

from __future__ import annotations

import pytest
from stations import MS, tandem

from simio.explaining.contrast import contrast
from simio.explaining.differences import steps_between
from simio.running import run_case


def took(first: float, second: float, jobs: int = 60) -> float:
    return (first + second) + (jobs - 1) * max(first, second)


def test_shares_of_two_stations_are_those_of_shapley():
    rate = {(a, b): 60 * 1000 / took(a, b) * 1000 for a in (3, 1.5) for b in (2, 1)}
    found = contrast(tandem(3 * MS, 2 * MS), tandem(3 * MS // 2, 1 * MS))
    by_name = {part.change.name: part for part in found.parts}
    first, second = (
        next(p for name, p in by_name.items() if name.startswith(f"switches.{s}")) for s in ("first", "second")
    )
    base, both = rate[3, 2], rate[1.5, 1]
    assert found.whole == pytest.approx(both - base)
    assert first.alone == pytest.approx(rate[1.5, 2] - base)
    assert first.last == pytest.approx(both - rate[3, 1])
    assert first.share == pytest.approx((first.alone + first.last) / 2)
    assert second.share == pytest.approx(((rate[3, 1] - base) + (both - rate[1.5, 2])) / 2)
    assert first.share + second.share == pytest.approx(found.whole)
    assert found.exact
    assert found.interact
    assert first.change.values[0].a == "3 ms"
    assert first.change.values[0].b == "1.5 ms"


def test_changes_that_have_nothing_to_do_with_one_another_do_not_interact():
    found = contrast(
        tandem(3 * MS, 2 * MS, overlap=False), tandem(3 * MS - MS // 100, 2 * MS - MS // 50, overlap=False)
    )
    assert not found.interact
    assert sum(part.share for part in found.parts) == pytest.approx(found.whole)


def test_nothing_differs():
    found = contrast(tandem(3 * MS, 2 * MS), tandem(3 * MS, 2 * MS))
    assert found.parts == ()
    assert found.whole == 0


def test_shares_add_up_where_changes_of_ftp_interact(load):
    on = ("workload.ftp.from_storage=data", "workload.ftp.to_storage=copies", "workload.ftp.file=5 MiB")
    a = load("sgi-hippi-ftp-960k.yaml", *on, "run.replications=2").cases[0]
    b = load(
        "sgi-hippi-ftp-960k.yaml",
        *on,
        "run.replications=2",
        "workload.ftp.buffer=60 KiB",
        "workload.ftp.aligned=true",
        "hosts.onyx.memory.copy_rate=200 MB/s",
    ).cases[0]
    found = contrast(a, b)
    assert len(found.parts) == 3
    assert found.exact
    assert found.runs == 8
    assert sum(part.share for part in found.parts) == pytest.approx(found.whole)
    assert found.whole == pytest.approx(float(run_case(b).rate - run_case(a).rate))
    for part in found.parts:
        assert (
            min(part.alone, part.last) - abs(found.whole)
            <= part.share
            <= max(part.alone, part.last) + abs(found.whole)
        )


def test_one_change_of_many_alike_parts_is_one(load):
    a = load("linux-fc-raw.yaml").cases[0]
    b = load("linux-fc-raw.yaml", "disks.d.queue_depth=4", "links.link1.length=20 m").cases[0]
    steps, many = steps_between(a.system, b.system)
    assert not many
    names = [step.change.name for step in steps]
    assert any("queue_depth and 7 alike" in name for name in names)
    assert any("length" in name for name in names)
    assert len(names) == 2


def test_all_changes_made_in_a_give_b(load):
    a = load("linux-fc-raw.yaml").cases[0].system
    b = load(
        "linux-fc-raw.yaml", "disks.d.queue_depth=4", "links.link1.length=20 m", "hosts.server.cpus=1",
        "workload.reader.block=1 MiB", "run.until=500 ms", "run.seed=1",
    ).cases[0].system  # fmt: skip
    steps, _ = steps_between(a, b)
    for step in steps:
        a = step.apply(a)
    assert steps_between(a, b) == ([], False)


def test_more_than_six_changes_are_taken_together(load):
    a = load("slac-64k-windows.yaml").cases[0].system
    costs = ["system_call", "interrupt", "context_switch", "page_pin", "block_request"]
    sets = [f"hosts.tersk03.kernel.{cost}=1 us" for cost in costs]
    sets += ["workload.ttcp.window=64 KiB", "workload.ttcp.streams=4", "workload.ttcp.nodelay=true"]
    b = load("slac-64k-windows.yaml", *sets).cases[0].system
    steps, many = steps_between(a, b)
    assert many
    assert len(steps) == 2
    assert [step.change.name for step in steps] == ["hosts.tersk03 (5 changes)", "workload.ttcp (3 changes)"]


def test_other_hosts_and_links_change_as_a_whole(load):
    short = ("run.until=200 ms", "run.warm_up=100 ms")
    a, b = (load(name, *short).cases[0] for name in ("slac-datamove8.yaml", "slac-tersk03.yaml"))
    steps, _ = steps_between(a.system, b.system)
    assert steps[0].change.name == "hosts, disks and links"
    found = contrast(a, b)
    assert found.whole == pytest.approx(float(run_case(b).rate - run_case(a).rate))


@pytest.fixture
def mirrored(tmp_path):
    """The case of requests that arrive for a mirror of two disks, with changed settings and a section more."""
    from simio.loading import load as loaded

    text = """
    title: A mirror
    hosts:
      server: {model: hosts/linux-2002-dual-p3, adapters: {scsi: {model: adapters/aic-7899, bus: pci}}}
    disks:
      d: {model: disks/atlas-10k, count: 2}
    volumes:
      data: {kind: mirror, of: d}
    links:
      - {model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}
    workload:
      reads:
        {kind: reader, host: server, from: data, block: 4 KiB, size: 4 MiB, pattern: random, arrivals: {rate: 50 /s}}
    """

    def case(*sets, more=""):
        path = tmp_path / "mirror.yaml"
        path.write_text(text.replace("\n    ", "\n") + more)
        return loaded(str(path), sets).cases[0].system

    return case


def test_arrivals_change_by_the_values_that_they_have(mirrored):
    steps, _ = steps_between(mirrored(), mirrored("workload.reads.arrivals.rate=80 /s"))
    assert [step.change.name for step in steps] == ["workload.reads.arrivals.rate: 50 /s -> 80 /s"]
    burst = mirrored("workload.reads.arrivals={rate: 80 /s, burst: 50 ms, pause: 1 s}")
    (step,) = steps_between(mirrored(), burst)[0]
    assert step.change.name == "workload.reads.arrivals.rate and 2 more: 50 /s -> 80 /s"
    assert steps_between(step.apply(mirrored()), burst) == ([], False)


def test_a_value_of_a_volume_is_a_change(mirrored):
    nearest = mirrored("volumes.data.nearest=true")
    (step,) = steps_between(mirrored(), nearest)[0]
    assert step.change.name == "volumes.data.nearest: none -> true"
    assert steps_between(step.apply(mirrored()), nearest) == ([], False)


def test_what_fails_is_a_change(mirrored):
    failing = mirrored(more="faults:\n  - {kind: failed, of: d2}\n")
    (step,) = steps_between(mirrored(), failing)[0]
    assert step.change.name.startswith("faults.fault1.")
    assert steps_between(step.apply(mirrored()), failing) == ([], False)
