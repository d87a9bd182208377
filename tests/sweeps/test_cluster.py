"""Many runs on a Dask cluster, of which workers are lost."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import many_samples
import pytest
from many_samples import HIPPI, blasts

from simio.errors import SimioError
from simio.sweeps import cluster as clusters
from simio.sweeps import run_many

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler here and two workers as processes; what kills one is not tried on others by the scheduler."""
    import dask

    # A worker that takes more than 15 s to come back, as on a busy machine, would be taken out for good.
    config = {"distributed.scheduler.allowed-failures": 0, "distributed.deploy.lost-worker-timeout": "1 hour"}
    with (
        dask.config.set(config),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as started,
    ):
        yield started


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, another worker is there later than after a user's patience."""
    monkeypatch.setattr(clusters, "PATIENCE", 600)
    monkeypatch.setattr(clusters, "CONNECT", 600)


def outcomes(cluster: Any, tasks: list[Any], do: Any) -> list[Any]:
    found = dict(run_many(tasks, cluster=cluster.scheduler_address, do=do))
    return [found[number] for number in range(len(tasks))]


@pytest.mark.usefixtures("unhurried")
def test_outcomes_are_those_of_this_machine(cluster: Any) -> None:
    tasks = blasts(1, 2, 4)
    there = outcomes(cluster, tasks, many_samples.rate_and_process)
    here = dict(run_many(tasks, 1, do=many_samples.rate_and_process))
    assert [rate for rate, _ in there] == [here[number][0] for number in range(3)]
    assert here[0][1] not in {process for _, process in there}


@pytest.mark.usefixtures("unhurried")
def test_a_task_whose_worker_was_lost_is_run_again(cluster: Any, tmp_path: Any) -> None:
    copied = shutil.copy(HIPPI, tmp_path)
    tasks = [replace(task, scenario=copied) for task in blasts(1, 2, 4)]
    assert outcomes(cluster, tasks, many_samples.dies_once) == ["alive"] * 3


@pytest.mark.usefixtures("unhurried")
def test_a_task_that_loses_each_worker_is_told_and_the_others_run(cluster: Any) -> None:
    found = outcomes(cluster, blasts(1, 2, 4, 8), many_samples.dies_with_four)
    assert isinstance(found[2], SimioError)
    assert "killed" in str(found[2])
    assert [*found[:2], found[3]] == ["alive"] * 3


@pytest.mark.usefixtures("unhurried")
def test_a_cluster_that_has_lost_all_its_workers(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    running = run_many(blasts(1, 2), cluster=cluster.scheduler_address, do=many_samples.sleeps)
    assert isinstance(next(running)[1], int)
    for name, value in (("LOOK", 0.1), ("PATIENCE", 0.5)):
        monkeypatch.setattr(clusters, name, value)
    cluster.scale(0)
    with pytest.raises(SimioError, match="has lost all its workers"):
        next(running)
    monkeypatch.setattr(clusters, "CONNECT", 0.5)
    until = time.monotonic() + 20
    while cluster.scheduler.workers and time.monotonic() < until:
        time.sleep(0.05)
    # A client that has not heard yet that the last has gone finds out while it waits.
    with pytest.raises(SimioError, match="has no workers|has lost all its workers"):
        list(run_many(blasts(1), cluster=cluster.scheduler_address))


@pytest.mark.parametrize(
    ("address", "told"),
    [("127.0.0.1:8786", "expected an address such as"), ("tcp://127.0.0.1:1", "no Dask scheduler answers")],
)
def test_no_cluster(address: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "CONNECT", 0.5)
    with pytest.raises(SimioError, match=told):
        list(run_many(blasts(1), cluster=address))
