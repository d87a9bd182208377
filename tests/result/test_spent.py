"""Notes on a volume of a service that serves more than is provisioned, from credits."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.loading import load
from simio.running import run_case

VOLUME = """title: Random reads of a volume with credits
hosts: {{vm: {{model: hosts/vm-2vcpu}}}}
disks:
  v: {{model: disks/cloud-volume, requests: 300 /s, burst_requests: 3000 /s, credits: 2700}}
links: [{{model: links/nvme, between: [vm.nvme, v]}}]
workload:
  reader: {{host: vm, from: v, access: direct, block: 4 KiB, size: 1 GiB, pattern: random, {load}}}
run: {{{run}, replications: 1}}
"""


@pytest.mark.parametrize(
    ("load_of", "run", "told"),
    [
        # 2700 credits are spent by 2700 a second beyond the provisioned requests.
        ("depth: 32", "until: 500 ms, warm_up: 0 s", "from credits that last for another "),
        ("arrivals: {rate: 840 /s, process: constant}", "until: 2 s, warm_up: 0 s", "last for another 3 s"),
        ("depth: 32", "until: 2 s, warm_up: 0 s", "v spent its credits within the span"),
        ("depth: 32", "until: 3 s, warm_up: 2 s", ""),
        ("arrivals: {rate: 290 /s, process: constant}", "until: 2 s, warm_up: 0 s", ""),
    ],
)
def test_what_is_served_from_credits_is_told(load_of: str, run: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "volume.yaml"
    path.write_text(VOLUME.format(load=load_of, run=run))
    notes = [note for note in run_case(load(path).cases[0]).notes if "its provisioned 300 requests" in note]
    assert len(notes) == bool(told)
    assert told in "".join(notes)


def test_the_largest_load_says_that_it_lives_on_credits(tmp_path: Path) -> None:
    path = tmp_path / "volume.yaml"
    path.write_text(VOLUME.format(load="arrivals: {rate: 600 /s}", run="until: 1 s, warm_up: 0 s"))
    command = ["capacity", str(path), "--processes", "1", "--until", "p90 of reader < 5 ms"]
    _, second, third, *_ = (
        CliRunner().invoke(main, [*command, "--from", "600 /s", "--to", "900 /s"]).stdout.splitlines()
    )
    assert second.startswith("at 900 /s: p90 of reader is ")
    assert third.startswith("v serves more than its provisioned 300 requests a second, from credits that last for ")


@pytest.mark.parametrize(
    ("credits", "rate", "bucket", "use"),
    # With credits a burst of 3000 a second is what the volume carries, until they are spent.
    [("0", "285 /s", "provisioned requests", 0.95), ("2700", "285 /s", "burst rate of requests", 0.095)],
)
def test_a_volume_is_as_busy_as_its_rate_of_requests_is_used(
    credits: str, rate: str, bucket: str, use: float, tmp_path: Path
) -> None:
    path = tmp_path / "volume.yaml"
    load_of = f"arrivals: {{rate: {rate}, process: constant}}"
    path.write_text(VOLUME.format(load=load_of, run="until: 2 s, warm_up: 0 s"))
    more = ["disks.v.credits=0", "disks.v.burst_requests=none"] if credits == "0" else []
    result = run_case(load(path, more).cases[0])
    (found,) = (each for each in result.resources if each.name == f"v {bucket}")
    assert found.utilisation == pytest.approx(use, rel=0.02)
    assert result.limiter.name == found.name
