"""Changes that a kind of workload has of its own, as `explain` tries them."""

from __future__ import annotations

from pathlib import Path

from simio.explaining.settings import what_ifs
from simio.loading import load

SERVER = """
title: Jobs of fio
hosts: {server: {model: hosts/server-2023-2s}}
disks: {d: {model: disks/samsung-980-pro-1tb}}
links: [{model: links/nvme, between: [server.nvme, d]}]
run: {replications: 1}
workload:
  slow: {kind: fio, host: server, storage: d, options: {rw: randread, bs: 4k, size: 1m, ioengine: psync, direct: 1}}
"""
DEEP = SERVER.splitlines()[-1].replace("slow", "deep").replace("psync", "libaio, iodepth: 4")


def test_jobs_of_fio_are_tried_deeper_and_more_of_them(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SERVER + DEEP)
    case = load(path).cases[0]
    found = {each.what: each for each in what_ifs(case.system) if "fio" in each.what}
    deeper, more = (
        {name: workload.params.jobs[0] for name, workload in found[what].system.workloads.items()}
        for what in ("iodepth of fio's jobs doubled", "numjobs of fio's jobs doubled")
    )
    assert (deeper["deep"].iodepth, deeper["deep"].numjobs) == (8, 1)
    assert (more["deep"].iodepth, more["deep"].numjobs, more["slow"].numjobs) == (4, 2, 2)
    assert case.system.workloads["deep"].params.jobs[0].iodepth == 4


def test_jobs_that_keep_one_request_outstanding_are_not_made_deeper(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SERVER)
    system = load(path).cases[0].system
    assert [each.what for each in what_ifs(system) if "fio" in each.what] == ["numjobs of fio's jobs doubled"]
