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


CLASSES = """
title: Two hosts at a switch
hosts: {{a: {{model: hosts/linux-namespace}}, b: {{like: a}}}}
switches: {{s: {{model: switches/roce-tor, discipline: priority, {values}}}}}
links: [{{model: links/ethernet-100g, between: [a.eth, s]}}, {{model: links/ethernet-100g, between: [s, b.eth]}}]
workload: {{ttcp: {{from: a, to: b, size: 64 KiB, traffic_class: 3}}}}
"""


@pytest.mark.parametrize(
    ("values", "key", "message"),
    [
        ("pause_classes: [3, 3]", "pause_classes", "found [3, 3]; expected each class once"),
        ("pause_classes: [8]", "pause_classes[0]", "found 8; expected at most 7"),
        ("pause_classes: high", "pause_classes", "found 'high'; expected a list"),
        (
            "pause_classes: 3, pause_above: none", "pause_above",
            "found none; expected the level at which each of pause_classes stops",
        ),
        (
            "pause_classes: 3, pause_buffer: none", "pause_buffer",
            "found none; expected more than pause_above, 256 KiB; the rest is headroom for packets under way",
        ),
        ("pause_classes: 3, pause_buffer: 200 KiB", "pause_buffer", "found 200 KiB; expected more than pause_above"),
        (
            "pause_classes: [3, 4]", "pause_buffer",
            "expected less than 256 KiB, as buffer, 16 MiB, has 64 such parts, one a link and class",
        ),
        ("pause_classes: 3, buffering: output", "buffering", "found output; expected shared"),
        ("pause_classes: 3, discipline: red", "discipline", "found red; expected priority"),
        ("resume_at: 256 KiB", "resume_at", "found 256 KiB; expected less than pause_above, 256 KiB"),
        ("resume_at: 1 KiB, pause_above: none", "resume_at", "found 1 KiB; expected none, as pause_above is none"),
        ("pause_class: 3", "pause_class", "did you mean 'pause_classes'?"),
    ],
)  # fmt: skip
def test_what_cannot_stop_a_class_is_refused(tmp_path: Path, values: str, key: str, message: str) -> None:
    file = tmp_path / "s.yaml"
    text = CLASSES.format(values=values)
    file.write_text(text.replace("discipline: priority, ", "") if "discipline" in values else text)
    with pytest.raises(ScenarioError) as caught:
        load(str(file), [])
    assert f"switches.s.{key}: " in str(caught.value)
    assert message in str(caught.value)


def test_lossless_classes_leave_the_rest_of_the_buffer(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    for values, lossy, resumes in (
        ("pause_classes: none", 2**24, 2**17),
        ("pause_classes: 3", 2**24 - 32 * 364672, 2**17),
    ):
        file.write_text(CLASSES.format(values=values))
        sheet = load(str(file), []).cases[0].system.switches["s"].part.sheet
        assert (sheet.lossy_memory, sheet.resumes) == (lossy, resumes)
