"""Volumes whose members fail: who was asked what, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from volume_bench import SECTOR, Asked, NoParity, Recorder, Request

from simio.components.faults.failures import Failures
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes import make_volume
from simio.components.volumes.members import Losses
from simio.description.faults import Failed
from simio.description.model import Volume
from simio.engines import compiled, reference
from simio.engines.outcome import Outcome, Status
from simio.machines.failing.requests import MOST
from simio.program.builder import Builder, Register


class Failing(Recorder):
    """A recorder that fails reads of bad sectors, and everything from an instant on; each tells when it does."""

    def __init__(
        self,
        p: Builder,
        name: str,
        failures: Failures,
        bad: Sequence[int] = (),
        dies: int | None = None,
        **service: int,
    ) -> None:
        super().__init__(p, name, 2**30, **service)
        self.failures = failures
        self.bad = bad
        self.dies = dies
        self.gone = p.machine(f"{name} gone", [0]) if dies is not None else None
        self.noticed = p.container(f"{name} noticed")

    def _serve(self, verb: str, at: Register, size: int, aligned: int) -> None:
        p = self.p
        super()._serve(verb, at, size, aligned)
        with p.loop(1):
            failed, end, now = p.register(0), p.register(), p.register()
            p.let(end, "ADD", at, size)
            for sector in self.bad if verb == "read" else ():
                with p.when(at, "<=", sector * SECTOR), p.when(end, ">", sector * SECTOR):
                    p.let(failed, "SET", 1)
            if self.dies is not None:
                p.let(now, "SINCE", 0)
                with p.when(now, ">=", self.dies):
                    p.let(failed, "SET", 1)
                    p.call(now, MOST, self.gone, 1)
                    p.put(self.noticed, 1000)
            with p.when(failed, ">", 0):
                self.failures.fail()


@dataclass
class Result:
    """Requests to the members for each request, whether it failed, and its end."""

    asked: list[list[Asked]] = field(default_factory=list)
    failed: list[bool] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    outcome: Outcome | None = None


def run(
    described: Volume,
    requests: Sequence[Request],
    bad: dict[int, Sequence[int]] | None = None,
    dies: dict[int, int] | None = None,
    spare: Failed | None = None,
    pause: int = 0,
    xor: int = 0,
    times: int = 1,
    **service: int,
) -> Result:
    """Requests one after the other, of a volume some members of which have bad sectors or die at an instant."""
    p = Builder()
    failures, bad, dies = Failures(p), bad or {}, dies or {}
    members = [
        Failing(p, name, failures, bad.get(place, ()), dies.get(place), **service)
        for place, name in enumerate(described.members)
    ]
    failing = {place: members[place].gone for place in {*bad, *dies}}
    lost = next(iter(dies), described.members.index(described.failed[0]) if described.failed else 0)
    losses = Losses(
        failures,
        failing,
        {place: members[place].noticed for place in dies},
        {lost: Recorder(p, "s", 2**30, **service)} if spare else {},
        {lost: spare} if spare else {},
    )
    device = make_volume(p, described, members, NoParity(p, xor), losses=losses)
    done = [p.observation(word) for word in ("well", "badly")]
    with p.thread("requests"):
        at, failed = p.register(), p.register()
        for request in requests:
            with p.loop(times):
                p.advance(pause)
                p.let(at, "SET", request.at)
                with failures.watched(failed):
                    _carry_out(device, request, at)
                for value, mark in enumerate(done):
                    with p.when(failed, "==", value):
                        p.mark(mark, at)
    for rebuild in failures.rebuilds:
        rebuild()
    program = p.build()
    outcome = compiled.run(program)
    assert outcome.differences(reference.run(program)) == []
    return told(outcome, [mark.name for mark in program.marks])


def _carry_out(device: BlockDevice, request: Request, at: Register) -> None:
    (device.read if request.verb == "read" else device.write)(at, request.size, request.aligned)


def told(outcome: Outcome, marks: Sequence[str]) -> Result:
    assert outcome.status == Status.DONE
    result = Result(outcome=outcome)
    rows: list[Asked] = []
    for time, mark, value in outcome.marks.tolist():
        name = marks[mark]
        if name in ("well", "badly"):
            result.asked.append(sorted(rows))
            result.failed.append(name == "badly")
            result.ends.append(time)
            rows = []
        elif name == "misaligned":
            assert value == 0
        elif len(name.split()) == 3 and not name.startswith("v"):
            member, verb, size = name.split()
            rows.append(Asked(time, member, verb, value, int(size)))
    return result


def asked(rows: Sequence[Asked]) -> list[tuple[str, str, int]]:
    return [(row.member, row.verb, row.at) for row in rows if row.member != "parity"]
