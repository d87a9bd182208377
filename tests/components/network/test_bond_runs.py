"""Whole scenarios over bonds: what TCP, UDP and flows get, what limits them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from simio.components.network.capture import PacketTrace
from simio.description.model import System
from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.errors import RunError, ScenarioError
from simio.explaining.settings import what_ifs
from simio.loading import load
from simio.lower import lower
from simio.program.steps import Program
from simio.report import casetables
from simio.report.wiring.inline import box_uses
from simio.result.model import CaseResult
from simio.running import run_case
from simio.topology import wire

TEXT = """
title: Two hosts and a switch, joined by bonds
hosts:
  a: {host}
  b: {host}
switches:
  s: {{model: switches/ideal-ethernet, buffer: 1 MB}}
links:
  - {{name: near, model: {link}, between: [a.{card}, s], bond: {bond}}}
  - {{name: far, model: {link}, between: [s, b.{card}], bond: {bond}}}
workload:
  {work}
{more}
"""
SPACED = "{model: hosts/linux-namespace}"
CARDS = """{model: hosts/workstation, adapters: {eth: {
    model: adapters/gigabit-pc, bus: pcie, transmit_ring: 1024, receive_ring: 1024, queue: 10000}}}"""
QUEUED = "{model: hosts/server-2023-2s}"
TURNS = "{members: 2, mode: balance-rr}"
PORTS = "{members: 2, hash: layer3+4}"
FAILS = "faults: [{kind: down, of: near.1, at: 3 ms, for: 20 ms}, {kind: down, of: far, at: 15 ms, for: 2 ms}]"


class Scenarios:
    """Scenarios of the text above, with these values in it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "bond.yaml"

    def write(self, work: str, bond: str = PORTS, host: str = SPACED, card: str = "eth", **values: str) -> Path:
        keys = {"link": "links/ethernet-1000", "more": "", **values}
        self.file.write_text(TEXT.format(work=work, bond=bond, host=host, card=card, **keys))
        return self.file

    def system(self, *args: Any, **values: Any) -> System:
        return load(str(self.write(*args, **values))).cases[0].system

    def result(self, *args: Any, **values: Any) -> CaseResult:
        return run_case(load(str(self.write(*args, **values))).cases[0])


@pytest.fixture
def scenarios(tmp_path: Path) -> Scenarios:
    return Scenarios(tmp_path)


def ended(engine: ModuleType, program: Program, system: System) -> tuple[Any, ...]:
    """All that two engines have to agree on."""
    options = {} if system.run.until is None else {"until": system.run.until}
    outcome: Outcome = engine.run(program, Options(**options))
    return outcome.status, outcome.end, outcome.steps, outcome.marks.tolist(), outcome.resources.tolist()


@pytest.mark.parametrize(
    ("work", "values"),
    [
        ("ttcp: {from: a, to: b, size: 64 KiB, writes: 5, streams: 5}", {}),
        ("ttcp: {from: a, to: b, size: 64 KiB, writes: 8, streams: 3}", {"bond": "{members: 3}"}),
        ("ttcp: {from: a, to: b, size: 64 KiB, writes: 8, streams: 2}", {"bond": TURNS}),
        ("ttcp: {from: a, to: b, size: 64 KiB, writes: 10}", {"bond": TURNS, "host": CARDS}),
        (
            "ttcp: {from: a, to: b, size: 64 KiB, writes: 20, streams: 3}",
            {"bond": "{members: 2, hash: layer3+4, miimon: 5 ms}", "more": FAILS},
        ),
        (
            "ttcp: {from: a, to: b, size: 64 KiB, writes: 20, streams: 3}",
            {"bond": "{members: 2, mode: active-backup, miimon: 5 ms}", "more": FAILS},
        ),
        ("datagrams: {from: a, to: b, size: 8000 B, count: 20, streams: 3}", {"bond": TURNS}),
        ("datagrams: {from: a, to: b, size: 8000 B, count: 20, streams: 3}", {}),
        ("flows: {from: a, to: b, size: 50 kB, load: 60%, count: 30, connections: 4, window: 64 KiB}", {}),
        ("ping: {from: a, to: b, count: 3, period: 1 ms}", {"bond": TURNS}),
        (
            "iperf3: {from: a, to: b, total: 1 MiB, streams: 2}",
            {
                "host": QUEUED,
                "link": "links/ethernet-25g",
                "bond": "{members: 2, hash: layer3+4, miimon: 100 us}",
                "more": "faults: [{kind: down, of: near.2, at: 80 us, for: 200 us}]\nrun: {until: 1 ms}",
            },
        ),
    ],
)  # fmt: skip
def test_both_engines_agree(scenarios: Scenarios, work: str, values: dict[str, str]) -> None:
    system = scenarios.system(work, **values)
    program = lower(system)
    assert ended(compiled, program, system) == ended(reference, program, system)


def test_a_trace_of_packets_changes_nothing(scenarios: Scenarios) -> None:
    system = scenarios.system("ttcp: {from: a, to: b, size: 64 KiB, writes: 3, streams: 2}", TURNS)
    traced = lower(system, PacketTrace(at=("a", "b")))
    assert ended(compiled, traced, system)[1] == ended(compiled, lower(system), system)[1]


# --- what flows get, and what limits -------------------------------------------------------------------------


def test_a_full_member_is_named_beside_the_idle_ones(scenarios: Scenarios) -> None:
    case = scenarios.result("ttcp: {from: a, to: b, size: 64 KiB, writes: 100, streams: 4}", "{members: 4}")
    name = case.limiter.name
    assert name.startswith("a.eth>s ")
    assert case.limiter.sentence == f"{name} is busy 100.0% of the time, the other 3 members of near 0.0%"
    assert case.bound_by in (name, f"s>b.eth {case.bound_by[-1]}")
    # All of it over one member: 1448 bytes in 1538 of 8 ns.
    assert float(case.rate) == pytest.approx(1e9 / 8 * 1448 / 1538, rel=1e-3)


def test_packets_in_turn_fill_all_members_with_one_flow(scenarios: Scenarios) -> None:
    case = scenarios.result("ttcp: {from: a, to: b, size: 64 KiB, writes: 200}", "{members: 4, mode: balance-rr}")
    assert float(case.rate) == pytest.approx(4e9 / 8 * 1448 / 1538, rel=0.01)
    assert case.bound_by in ("a.eth>s members", "s>b.eth members")
    assert case.limiter.sentence.endswith("the other 3 members of near 100.0%")


def test_ports_with_interrupts_of_their_own_bring_packets_out_of_order(scenarios: Scenarios) -> None:
    work, cut = "iperf3: {from: a, to: b}", "run: {until: 60 ms, warm_up: 0 s}"

    def sent_again(bond: str) -> int:
        case = scenarios.result(work, bond, CARDS, more=cut)
        return sum(tally.value for tally in case.tallies if tally.what == "sent again")

    assert sent_again("{members: 4}") == 0
    assert sent_again("{members: 4, mode: balance-rr}") > 10


def test_flows_of_a_static_hash_lie_under_a_bound_of_their_members(scenarios: Scenarios) -> None:
    case = scenarios.result(
        "ttcp: {from: a, to: b, size: 64 KiB, writes: 50, streams: 6}", "{members: 4, hash: layer3+4}"
    )
    assert case.bound is not None
    assert case.rate <= case.bound
    # Every stream has as many bytes: the fullest member takes longest, and limits the whole.
    assert float(case.rate) == pytest.approx(float(case.bound), rel=0.02)


def test_a_dead_backup_bond_moves_flows_to_the_other_member(scenarios: Scenarios) -> None:
    more = "faults: [{kind: down, of: near.1, at: 2 ms, for: 1 s}]"
    bond = "{members: 2, mode: active-backup, miimon: 10 ms}"
    case = scenarios.result("ttcp: {from: a, to: b, size: 64 KiB, writes: 100}", bond, more=more)
    shares = {use.name: use.utilisation for use in case.resources}
    assert case.status == "done"
    assert shares["a.eth>s 2"] > shares["a.eth>s 1"]
    lost = {each.name for each in case.observations if each.name.endswith("lost")}
    assert lost <= {"a.eth>s 1 lost", "s>a.eth 1 lost"}


def test_members_that_carry_one_at_a_time_are_busy_together(tmp_path: Path) -> None:
    path = tmp_path / "backup.yaml"
    path.write_text("""
title: A bond with a backup whose active member fails
hosts: {a: {model: hosts/linux-namespace}, b: {like: a}}
links:
  - name: lag
    model: links/ethernet-1000
    between: [a.eth, b.eth]
    bond: {members: 2, mode: active-backup, miimon: 5 ms}
workload: {ttcp: {from: a, to: b, size: 64 KiB, streams: 2}}
faults: [{kind: down, of: lag.1, at: 100 ms, for: 10 s}]
run: {until: 200 ms, warm_up: 20 ms}
""")
    case = run_case(load(path).cases[0])
    limit = case.limiter
    assert case.bound_by == "a.eth>b.eth members"
    assert float(case.bound) == pytest.approx(1e9 / 8 * 1448 / 1538, rel=1e-3)
    assert (limit.kind, limit.name) == ("resource", "lag")
    assert limit.busy > 0.97
    assert "as one member of lag carries all at a time: a.eth>b.eth " in limit.sentence


def test_flows_that_arrive_share_members_as_queues_of_their_own(scenarios: Scenarios) -> None:
    case = scenarios.result(
        "flows: {from: a, to: b, size: 20 kB, load: 50%, count: 1500, window: 64 KiB, connections: 32}",
        "{members: 2, hash: layer3+4}", more="run: {warm_up: 0 s, replications: 1}",
    )  # fmt: skip
    shares = {use.name: use.utilisation for use in case.resources}
    near = [shares[f"a.eth>s {number}"] for number in (1, 2)]
    # A load of 50% is that of each member in the mean; each flow is one of 1500 fair coins, 2.6% of them either way.
    assert sum(near) / 2 == pytest.approx(0.5, rel=0.15)
    assert near[0] == pytest.approx(near[1], rel=0.16)


def test_datagrams_in_fragments_have_no_ports(scenarios: Scenarios) -> None:
    def used(size: str) -> int:
        work = f"datagrams: {{from: a, to: b, size: {size}, count: 30, streams: 12, period: 1 ms}}"
        case = scenarios.result(work, "{members: 4, hash: layer3+4}")
        return sum(use.utilisation > 0 for use in case.resources if use.name.startswith("a.eth>s "))

    assert used("8000 B") == 1
    assert used("1000 B") > 1


# --- how it is shown and explained ---------------------------------------------------------------------------

ONE_SIDED = "ttcp: {from: a, to: b, size: 64 KiB, writes: 30, streams: 4}"


def test_tables_tell_members_apart_that_do_not_do_the_same(scenarios: Scenarios) -> None:
    case = scenarios.result(ONE_SIDED, "{members: 4}")
    full = case.limiter.name
    idle = next(f"a.eth>s {number}" for number in (1, 2, 3, 4) if f"a.eth>s {number}" != full)
    names = [row[0] for row in casetables.resources(case.resources, case.bonds).rows]
    assert {full, f"{idle} and 2 alike"} <= set(names)
    assert {bond.name: bond.resources for bond in case.bonds if "a.eth>s 1" in bond.resources} == {
        "near": tuple(f"a.eth>s {number}" for number in (1, 2, 3, 4))
    }


def test_a_picture_has_the_use_of_each_member(scenarios: Scenarios) -> None:
    case = scenarios.result(ONE_SIDED, "{members: 4}")
    graph = wire(load(str(scenarios.file)).cases[0].system)
    shares = {number: box_uses(graph, case)[f"near.{number}"] for number in (1, 2, 3, 4)}
    full = int(case.limiter.name[-1])
    assert [number for number, use in shares.items() if use.limits] == [full]
    assert shares[full].share == case.limiter.busy
    used_back = {use.name for use in case.resources if use.utilisation > 0 and use.name.startswith("s>a.eth")}
    assert all(not shares[n].share or f"s>a.eth {n}" in used_back for n in shares if n != full)


def test_what_ifs_try_a_larger_bond_and_a_finer_hash(scenarios: Scenarios) -> None:
    system = scenarios.system(ONE_SIDED, "{members: 2}")
    found = {setting.what: setting for setting in what_ifs(system)}
    larger = found["one more member in near and far"]
    assert larger.values == ("links.near.bond.members", "links.far.bond.members")
    written = load(str(scenarios.write(ONE_SIDED, "{members: 3}"))).cases[0].system
    assert larger.system.links == written.links
    finer = found["flows told apart by ports in near and far (hash layer3+4)"]
    assert finer.system.links == load(str(scenarios.write(ONE_SIDED, PORTS))).cases[0].system.links
    assert not [what for what in map(str, (s.what for s in what_ifs(finer.system))) if "told apart" in what]


def test_no_what_if_has_more_members_than_a_switch_has_ports(scenarios: Scenarios) -> None:
    text = scenarios.write(ONE_SIDED).read_text()
    scenarios.file.write_text(text.replace("buffer: 1 MB", "ports: 5"))
    assert not [s for s in what_ifs(load(str(scenarios.file)).cases[0].system) if "member" in s.what]


# --- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            {
                "work": "iperf3: {from: a, to: b, total: 1 MiB}",
                "host": QUEUED,
                "bond": TURNS,
                "link": "links/ethernet-25g",
            },
            "links.far.bond.mode: packets that take the members of 'far' in turn cannot come to 'b.eth' "
            "(adapters/connectx-5), whose ports share their queues",
        ),
        (
            {
                "work": "rdma: {from: a, to: b, size: 64 KiB, messages: 10}",
                "host": "{model: hosts/server-2023-2s, "
                "adapters: {rnic: {model: adapters/connectx-5-rdma, bus: slot}}}",
                "card": "rnic",
                "link": "links/ethernet-100g",
            },
            "links.near.bond: RDMA over the bond 'near' is not modelled; use single links",
        ),
        (
            {
                "work": "packets: {host: a, adapter: nic, packets: 1000}",
                "host": "{model: hosts/xeon-e5-1650-v4}",
                "card": "nic",
                "link": "links/ethernet-100g",
            },
            "the bond 'near' ends at 'a.nic'; packets by the million come over a single link",
        ),
    ],
)  # fmt: skip
def test_what_cannot_cross_a_bond_is_refused(scenarios: Scenarios, values: dict[str, str], told: str) -> None:
    with pytest.raises(RunError) as caught:
        lower(scenarios.system(**values))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("bond", "told"),
    [
        ("{members: 0}", "links.near.bond.members: found 0; expected at least 1"),
        ("{members: 65}", "links.near.bond.members: found 65; expected at most 64"),
        ("{hash: layer2}", "links.near.bond.members: found nothing; expected a whole number (number of links)"),
        ("{members: 2, hash: layer4}", "expected 'layer2', 'layer2+3' or 'layer3+4'; did you mean 'layer3+4'?"),
        ("{members: 2, mode: lacp}", "expected '802.3ad', 'balance-rr' or 'active-backup'"),
        (
            "{members: 2, mode: balance-rr, hash: layer3+4}",
            "links.near.bond.hash: found 'layer3+4', with mode balance-rr; expected none, as only mode 802.3ad has",
        ),
        ("{members: 2, mode: active-backup, seed: 3}", "links.near.bond.seed: found '3', with mode active-backup"),
        ("{member: 2}", "links.near.bond.member: found the unknown key 'member'"),
        ("2", "links.near.bond: found 2; expected a mapping with members"),
        ("{members: 2, miimon: 5}", "links.near.bond.miimon: found the number 5 without a unit"),
    ],
)  # fmt: skip
def test_mistakes_have_a_place(scenarios: Scenarios, bond: str, told: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenarios.system("ttcp: {from: a, to: b, size: 64 KiB, writes: 10}", bond)
    assert told in str(caught.value)


def test_other_links_are_no_bond(scenarios: Scenarios) -> None:
    with pytest.raises(ScenarioError, match="a bond of links of kind emulated .*; expected links of kind ethernet"):
        scenarios.system("ttcp: {from: a, to: b, size: 64 KiB, writes: 10}", link="links/emulated")


def test_members_take_ports_of_a_switch(scenarios: Scenarios) -> None:
    text = scenarios.write("ttcp: {from: a, to: b, size: 64 KiB, writes: 10}").read_text()
    scenarios.file.write_text(text.replace("buffer: 1 MB", "ports: 3"))
    with pytest.raises(ScenarioError, match="found 4 links at 's'; expected at most its 3 ports"):
        load(str(scenarios.file))


def test_a_fault_is_of_a_member_or_of_the_whole_bond(scenarios: Scenarios) -> None:
    work = "ttcp: {from: a, to: b, size: 64 KiB, writes: 10}"
    for of, down in (
        ("near", ["near.1", "near.2"]),
        ("near.2", ["near.2"]),
        ("s", ["near.1", "near.2", "far.1", "far.2"]),
    ):
        system = scenarios.system(work, more=f"faults: [{{kind: down, of: {of}, at: 1 s, for: 1 s}}]")
        assert [link.name for link in system.links if link.down] == down
    with pytest.raises(ScenarioError, match=r"near\.3.*did you mean 'near"):
        scenarios.system(work, more="faults: [{kind: down, of: near.3, at: 1 s, for: 1 s}]")


def test_a_bond_of_one_is_the_link_itself(scenarios: Scenarios) -> None:
    work = "ttcp: {from: a, to: b, size: 64 KiB, writes: 10}"
    system = scenarios.system(work, "{members: 1, hash: layer3+4}")
    alone = scenarios.write(work).read_text().replace(f", bond: {PORTS}", "")
    scenarios.file.write_text(alone)
    assert system.links == load(str(scenarios.file)).cases[0].system.links
