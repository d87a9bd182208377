"""Links that do not fit network adapters and switches are refused with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import ScenarioError
from simio.loading import load

HOSTS = """
title: t
hosts:
  a:
    model: hosts/linux-2002-dual-p3
    adapters: {{io: {{model: adapters/{adapter}, bus: pci}}}}
  b: {{like: a}}
{rest}
workload: {{compute: {{host: a}}}}
"""


def problems(tmp_path: Path, adapter: str, rest: str) -> str:
    file = tmp_path / "s.yaml"
    file.write_text(HOSTS.format(adapter=adapter, rest=rest))
    with pytest.raises(ScenarioError) as caught:
        load(str(file), [])
    return str(caught.value)


def test_an_adapter_takes_links_of_its_medium(tmp_path: Path) -> None:
    rest = "links: [{model: links/atm-oc3, between: [a.io, b.io]}]"
    told = problems(tmp_path, "gigabit-pc", rest)
    assert "an atm link (links/atm-oc3) at 'a.io'" in told
    assert "an ethernet or ethernet-shared or emulated link for adapters/gigabit-pc" in told


def test_a_switch_takes_links_of_its_kind(tmp_path: Path) -> None:
    rest = "switches: {s: {model: switches/asx-200}}\nlinks: [{model: links/ethernet-1000, between: [a.io, s]}]"
    assert "an ethernet link (links/ethernet-1000) at 's'" in problems(tmp_path, "gigabit-pc", rest)


def test_two_ends_on_a_link_that_is_not_shared(tmp_path: Path) -> None:
    rest = "links: [{model: links/ethernet-1000, between: [a.io, b.io, a.io]}]"
    told = problems(tmp_path, "gigabit-pc", rest)
    assert "more ends go on a link of kind" in told
    assert "fddi" in told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("rate: 1 Mbit/s, burst: 1000 B", "burst: found 1 kB; expected at least mtu and header, 1514 B"),
        ("rate: 1 Mbit/s, queue: 1 kB", "queue: found 1 kB; expected at least mtu and header, 1514 B"),
        ("rate: 1 Mbps", "links.link1.rate: found the ambiguous unit"),
        ("jitter: 5", "a time such as '10 us'"),
        ("jitter: -1 us", "a time such as '10 us'"),
        ("reorder: often", "true or false"),
        ("delay: 1 ms, length: 1 m", "one of them"),
        ("shape: true", "the unknown key 'shape'"),
    ],
)
def test_wrong_values_of_an_emulated_link(tmp_path: Path, value: str, told: str) -> None:
    rest = f"links: [{{model: links/emulated, between: [a.io, b.io], {value}}}]"
    found = problems(tmp_path, "ideal-ethernet", rest)
    assert told in found
    assert "s.yaml:8:" in found


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("nagle: sometimes", "'idle' or 'small'"),
        ("byte_limit: -1", "at least 0"),
        ("quick_acks: 1 s", "a whole number"),
        ("advertised_window: 0 B", "a size above zero"),
        ("congestion_control: vegas", "cubic"),
        ("time_each: yes", "true or false"),
    ],
)
def test_wrong_values_of_a_stack(tmp_path: Path, value: str, told: str) -> None:
    file = tmp_path / "s.yaml"
    text = f"""
title: t
hosts:
  a: {{model: hosts/linux-namespace, stack: {{{value}}}}}
workload: {{compute: {{host: a, busy: 1 ms}}}}
"""
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load(str(file), [])
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("coalesce_count: 4", "a time above zero, as packets share interrupts"),
        ("pause_above: 64 KiB", "less than the receive buffer, 64 KiB"),
        ("medium: token-ring", "ethernet"),
    ],
)
def test_values_that_make_no_sense_are_refused(tmp_path: Path, value: str, message: str) -> None:
    file = tmp_path / "s.yaml"
    delay = ", coalesce_delay: 0 s" if "coalesce" in value else ""
    text = HOSTS.format(adapter="gigabit-pc", rest="links: [{model: links/ethernet-1000, between: [a.io, b.io]}]")
    file.write_text(text.replace("bus: pci}", f"bus: pci, {value}{delay}}}"))
    with pytest.raises(ScenarioError, match=message):
        load(str(file), [])
