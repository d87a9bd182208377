"""A run tells of links that no packet takes beside others, and of links that are narrower than both ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.lower import lower

SWITCHES = """
title: Two switches
hosts:
  a: {model: hosts/storage-client-2023, adapters: {eth2: {model: adapters/ideal-ethernet, bus: slot}}}
  b: {model: hosts/storage-client-2023}
switches: {s1: switches/ideal-ethernet, s2: switches/ideal-ethernet}
links:
  - {name: near, model: links/ethernet-10g, between: [a.eth, s1]}
  - {name: fast, model: links/ethernet-10g, between: [s1, s2]}
MORE
  - {name: last, model: links/ethernet-10g, between: [s2, b.eth]}
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 8}}
"""


def told(folder: Path, more: str, *settings: str) -> tuple[str, ...]:
    path = folder / "case.yaml"
    path.write_text(SWITCHES.replace("MORE", f"  - {more}" if more else ""))
    return lower(load(path, list(settings)).cases[0].system).told


@pytest.mark.parametrize(
    ("link", "taken"),
    [
        ("{name: slow, model: links/ethernet-1000, between: [s1, s2]}", "fast"),
        ("{name: slow, model: links/ethernet-1000, between: [a.eth2, s1]}", "near"),
    ],
)
def test_a_link_beside_the_one_that_packets_take_is_told(tmp_path: Path, link: str, taken: str) -> None:
    (note,) = told(tmp_path, link)
    assert note.startswith(f"no packet takes slow, which leads the same way as {taken}: ")


def test_a_bond_is_one_link_and_a_longer_way_is_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, "") == ()
    assert told(tmp_path, "{name: other, model: links/ethernet-10g, between: [a.eth2, s2]}") == ()
    (note,) = told(tmp_path, "{name: two, model: links/ethernet-10g, between: [s1, s2], bond: {members: 2}}")
    assert note.startswith("no packet takes two, which leads the same way as fast: ")
    assert told(tmp_path, "", "links.fast.bond.members=2") == ()


def test_a_link_between_wider_ones_is_told_and_a_narrower_end_is_not(tmp_path: Path) -> None:
    (note,) = told(tmp_path, "", "links.near.mtu=9000 B", "links.last.mtu=9000 B")
    assert note.startswith("packets are as large as fast takes them, which is less than both ends do: ")
    assert told(tmp_path, "", "links.near.mtu=9000 B", "links.fast.mtu=9000 B") == ()


@pytest.mark.parametrize(
    "workload",
    [
        "datagrams: {from: a, to: b, size: 8 KiB, count: 10, period: 100 us}",
        "iperf3: {from: a, to: b, protocol: udp, length: 8 KiB, total: 80 KiB}",
    ],
)
def test_datagrams_that_only_the_sender_could_send_whole_are_told(tmp_path: Path, workload: str) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        SWITCHES.replace("MORE\n", "").replace("ttcp: {from: a, to: b, size: 64 KiB, writes: 8}", workload)
    )
    name, wide = workload.partition(":")[0], ("links.near.mtu=9000 B", "links.fast.mtu=9000 B")
    (note,) = lower(load(path, wide).cases[0].system).told
    assert note.startswith(f"{name}: datagrams of 8192 B go in fragments of 1500 B, which all of the way takes, ")
    # One that fits the narrow end is whole; where the sender is as narrow, it cuts its own.
    size = "size" if name == "datagrams" else "length"
    assert lower(load(path, [*wide, f"workload.{name}.{size}=1472 B"]).cases[0].system).told == ()
    assert lower(load(path, []).cases[0].system).told == ()
