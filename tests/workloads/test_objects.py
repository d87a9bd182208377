"""Objects over HTTP: parts and connections, time to the first byte, encryption, and what S3 does not take."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.result.model import CaseResult
from simio.running import run_case

MS = 10**9
SCENARIO = """
title: Objects of a server
hosts:
  server:
    model: hosts/server-2023-2s
    stack: &stack {model: stacks/ideal-tcp, send_space: 4 MiB, receive_space: 4 MiB, initial_window: 4000}
    adapters: {sas: {model: adapters/sas-hba-2020, bus: slot}, eth: &card {model: adapters/ideal-ethernet, bus: slot}}
  client: {model: hosts/server-2023-2s, stack: *stack, adapters: {eth: *card}}
disks:
  d: {model: disks/exos-x18-18tb-sas, count: 2}
links:
  - {model: links/sas-12, between: [server.sas, d], length: 1 m}
  - {model: links/ethernet-25g-jumbo, between: [server.eth, client.eth], length: 10 m}
workload:
  s3: {kind: objects, from: client, to: server, object: 1 MiB, part: 256 KiB, connections: 2, count: 2, tls: false}
run: {warm_up: 0 s, replications: 1}
"""


def case(folder: Path, *sets: str):
    path = folder / "objects.yaml"
    path.write_text(SCENARIO)
    return load(str(path), [text if "." in text else f"workload.s3.{text}" for text in sets]).cases[0]


def ran(folder: Path, *sets: str) -> CaseResult:
    return run_case(case(folder, *sets))


def seen(result: CaseResult, what: str):
    [found] = [each for each in result.observations if each.name == f"s3: {what}"]
    return found


@pytest.mark.parametrize(
    "sets",
    [
        ("storage=d", "tls=true", "first_byte={median: 1 ms, p99: 4 ms}", "object=900 kB", "transfers=2"),
        ("sizes={distribution: lognormal, median: 64 KiB, p99: 1 MiB}", "object=none", "storage=d", "count=4"),
        ("access=put", "object=6 MiB", "part=5 MiB", "storage=d1", "threads=1", "tls=true", "stream=1 GB/s"),
    ],
)
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]) -> None:
    program = lower(case(tmp_path, *sets).system)
    options = Options(seed=3)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


@pytest.mark.parametrize("access", ["get", "put"])
def test_every_byte_of_an_object_counts_once(tmp_path: Path, access: str) -> None:
    result = ran(tmp_path, f"access={access}", "object=11000001 B", "part=5 MiB", "connections=3", "storage=d")
    assert result.throughput.amount == 2 * 11_000_001
    assert (seen(result, "object").count, seen(result, "part").count) == (2, 6)
    span = Fraction(result.throughput.until - result.throughput.since, 10**12)
    # An upload's last call ends after its last byte.
    assert result.requests * span == pytest.approx(2 if access == "get" else 1, abs=0.01)


def test_parts_take_as_many_turns_as_there_are_connections(tmp_path: Path) -> None:
    """Each answer begins 10 ms after its request; an object has eight parts."""
    wait = ("first_byte={median: 10 ms, p99: 10 ms}", "part=128 KiB", "count=1")
    turns = [seen(ran(tmp_path, *wait, f"connections={n}"), "object").mean // (10 * MS) for n in (1, 2, 4, 8, 16)]
    assert turns == [8, 4, 2, 1, 1]


def test_an_upload_has_two_calls_beside_its_parts(tmp_path: Path) -> None:
    wait = ("first_byte={median: 10 ms, p99: 10 ms}", "access=put", "count=1", "connections=4")
    assert seen(ran(tmp_path, *wait, "object=20 MiB", "part=5 MiB"), "object").mean // (10 * MS) == 3
    # One part is a plain PUT.
    assert seen(ran(tmp_path, *wait, "object=5 MiB", "part=5 MiB"), "object").mean // (10 * MS) == 1


def test_one_answer_is_no_faster_than_its_stream(tmp_path: Path) -> None:
    slow = ran(tmp_path, "stream=100 MB/s", "count=1", "connections=1", "buffer=64 KiB")
    least = 2**20 / 100e6 * 1e12
    assert least < seen(slow, "object").mean < 1.05 * least


def test_encryption_takes_the_cpu_of_both_ends(tmp_path: Path) -> None:
    """At 1 GB/s of a core, 64 MiB take 67 ms at each end; the ends work side by side."""
    sets = ("object=64 MiB", "part=64 MiB", "connections=1", "count=1", "tls=true")
    rates = ("hosts.server.cpu.aes_gcm=1 GB/s", "hosts.client.cpu.aes_gcm=1 GB/s")
    plain, coded = ran(tmp_path, *sets[:-1]), ran(tmp_path, *sets, *rates)

    def cpu(result: CaseResult, name: str) -> float:
        [found] = [each for each in result.resources if each.name == f"{name}.cpu"]
        return float(found.utilisation) * 64 * result.end / 1e12

    # Calls and process switches take the rest.
    assert [cpu(coded, name) for name in ("server", "client")] == pytest.approx([2**26 / 1e9] * 2, rel=0.01)
    assert seen(coded, "object").mean == pytest.approx(2**26 / 1e9 * 1e12, rel=0.1)
    # 4096 records of 22 bytes more.
    wire = "server.eth>client.eth"
    busy = [
        next(float(each.utilisation) for each in result.resources if each.name == wire) * result.end
        for result in (plain, coded)
    ]
    assert (busy[1] - busy[0]) / 320 == pytest.approx(4096 * 22, rel=0.05)


def test_objects_that_arrive_wait_for_those_before(tmp_path: Path) -> None:
    sets = ("first_byte={median: 10 ms, p99: 10 ms}", "arrivals={rate: 50 /s, process: constant}", "count=4")
    alone = seen(ran(tmp_path, *sets, "connections=4"), "object")
    waiting = seen(ran(tmp_path, *sets, "connections=1"), "object")
    assert 10 * MS < alone.least <= alone.most < 20 * MS
    # Four parts of 10 ms each 20 ms: the fourth object is three times 20 ms late.
    assert 100 * MS < waiting.most < 110 * MS


def test_each_class_of_sizes_has_its_times_and_every_byte_counts(tmp_path: Path) -> None:
    """Two sizes, of one part and of five: each object is in one class, and the larger ones take five turns."""
    sets = ("object={64 KiB: 1, 1280 KiB: 1}", "count=40", "connections=1", "first_byte={median: 10 ms, p99: 10 ms}")
    result = ran(tmp_path, *sets, "classes=[64 KiB, 1 MiB]", "storage=d")
    small, large = seen(result, "object up to 64 KiB"), seen(result, "object above 1 MiB")
    assert small.count + large.count == seen(result, "object").count == 40
    assert 5 < small.count < 35
    assert result.throughput.amount == small.count * (64 << 10) + large.count * (1280 << 10)
    assert seen(result, "part").count == small.count + 5 * large.count
    assert small.most < 5 * 10 * MS <= large.least


def test_only_an_object_of_several_parts_has_two_calls_more(tmp_path: Path) -> None:
    """Answers begin after 10 ms: one turn for a small object; for one of two parts a turn and two calls."""
    sets = ("object={1 MiB: 1, 10 MiB: 1}", "part=5 MiB", "access=put", "count=12", "connections=2")
    result = ran(tmp_path, *sets, "first_byte={median: 10 ms, p99: 10 ms}")
    small, large = seen(result, "object 64 KiB to 1 MiB"), seen(result, "object 1 MiB to 16 MiB")
    assert (small.most // (10 * MS), large.least // (10 * MS)) == (1, 3)


def test_storage_reads_no_more_than_a_small_object_has(tmp_path: Path) -> None:
    """A disk takes 1 / 270 MB/s a byte more, so that 16 KiB of a buffer of 4 MiB take no 15 ms."""
    sets = ("object=16 KiB", "part=8 MiB", "buffer=4 MiB", "connections=1", "count=20", "objects=1", "storage=d1")
    assert seen(ran(tmp_path, *sets), "object").mean < 10 * MS


@pytest.mark.parametrize(("deviations", "share"), [(0, 0.5), (2.3263, 0.01), (3.0902, 0.001), (4.2649, 1e-5)])
def test_times_to_the_first_byte_are_lognormal_up_to_rare_ones(
    tmp_path: Path, deviations: float, share: float
) -> None:
    first = case(tmp_path, "first_byte={median: 30 ms, p99: 150 ms}").system.workloads["s3"].params.first_byte
    limit = 30 * MS * (150 / 30) ** (deviations / 2.3263)
    above = sum(weight for time, weight in first.times if time > limit)
    assert above / sum(weight for _, weight in first.times) == pytest.approx(share, rel=0.04)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (("access=put",), "workload.s3.part: found 256 KiB; expected 5 MiB to 5 GiB, as S3 takes parts"),
        (
            ("access=put", "object=1 TiB", "part=5 MiB"),
            "found 209716 parts; expected at most 10000; parts of 110 MB at least",
        ),
        (("first_byte={median: 3 ms, p99: 2 ms}",), "workload.s3.first_byte.p99: found a p99 below the median"),
        (("from=server",), "found 'server' at both ends"),
        (
            ("sizes={distribution: web-search}",),
            "workload.s3.sizes: found both object and sizes; expected a size such as '64 KiB'",
        ),
        (("object=none",), "workload.s3.object: found nothing"),
        (("classes=[1 MiB, 64 KiB]",), "workload.s3.classes: found sizes that do not ascend"),
        (("storage=x",), "workload.s3.storage: found the unknown disk, group of disks or volume 'x'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        case(tmp_path, *sets)
    assert message in str(caught.value)


def test_encryption_needs_a_rate_of_the_cpu(tmp_path: Path) -> None:
    with pytest.raises(
        RunError, match=r"the CPU of 'client', cpus/xeon-gold-6430, has no aes_gcm.*hosts\.client\.cpu\.aes_gcm"
    ):
        lower(case(tmp_path, "tls=true", "hosts.client.cpu.aes_gcm=none").system)
