"""A volume: one loop that asks the planner for the next piece of a request and sends it to its member.

A request has parts, served at the same time, and each part two phases: what it reads, then its parity, then what it
writes. All pieces of a phase are sent at once, and the phase is over when the last of them is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations

from simio.components.passage import Passage
from simio.components.volumes.geometry import PARITY, Geometry, Shape
from simio.components.volumes.members import Members
from simio.components.volumes.requests import VERBS, Request, Verb, case, check_aligned, check_request
from simio.components.volumes.states import Changes
from simio.machines.volume import planner
from simio.machines.volume.layout import MIRROR, RAID3, READ, SOURCES, WRITE, both
from simio.program.builder import Builder, Register
from simio.program.emitting import TooManySteps

MANY = 8
"""Sizes of the pieces of a member from which on they may be why a program has too many steps."""
SOME = 2
"""Sizes of the pieces of a member beyond which volumes inside write what they ask of a member once for each size, and
not once for each of the outer one."""


@dataclass(frozen=True)
class Planned:
    """A request of a volume, its kind for the planner, and its possible pieces."""

    request: Request
    kind: int
    shape: Shape


class VolumeDevice:
    """A block device over members.

    Every request joins its children, so that its caller has no joined child under way.
    """

    any_size = False

    def __init__(
        self,
        p: Builder,
        name: str,
        geometry: Geometry,
        members: Members,
        changes: Changes | None = None,
        lost: int | None = None,
    ) -> None:
        """`changes` says at run time which member is `lost`, which otherwise never changes; None if none is.

        Two of a RAID 6 are one number (`layout.both`).
        """
        self.p = p
        self.name = name
        self.geometry = geometry
        self.capacity, self.sector = geometry.capacity, geometry.sector
        self.members = members
        self.changes = changes
        self.present = members.number if lost is None else lost
        self.plan = p.machine(f"{name} plan", geometry.state())
        self.lock = p.resource(f"{name} lockstep", lock=True) if geometry.level == RAID3 else None
        """A RAID 3 serves one request at a time."""

    def read(self, at: Register, size: int, aligned: int) -> None:
        """Read all pieces; done when the last one is there and lost data have been computed."""
        self._changing("read", at, size, aligned)

    def write(self, at: Register, size: int, aligned: int) -> None:
        """Write all pieces and their parity; done when the last one is."""
        self._changing("write", at, size, aligned)

    def flush(self) -> None:
        """All members at once (Linux drivers/md/md.c, md_flush_request)."""
        for device in filter(None, self.members.devices):
            with self.p.fork(f"{self.name}: flush", joined=True):
                device.flush()
        self.p.join()

    def _changing(self, verb: Verb, at: Register, size: int, aligned: int) -> None:
        if self.changes is None:
            self.serve(Request(verb, at, size, aligned, self.present))
            return
        with self.changes.request(self.plan, at, size) as present:
            request = Request(verb, at, size, aligned, present)
            if not self.changes.pairs:
                self.serve(request)
                return
            # A member was given up beside another: the request is served again, without both (Linux md,
            # drivers/md/raid5.c, handle_stripe).
            with self.p.scope():
                failed = self.p.register()
                with self.members.failures.watched(failed), self.p.scope():
                    self.serve(request)
                with self.p.when(failed > 0), self.p.scope():
                    self.changes.find(present, self.plan, at, size)
                    self.serve(request)

    def serve(self, request: Request) -> None:
        """Emit a request; raises RunError for one that is not made of sectors."""
        p, geometry, members = self.p, self.geometry, self.members
        verb, size, aligned, present = request.verb, request.size, request.aligned, request.present
        check_request(self.name, size, aligned, self.sector)
        lost = [present] if isinstance(present, int) else [members.number, *sorted(members.losable)]
        if self.changes and self.changes.pairs and not isinstance(present, int):
            lost += [both(*pair, members.number) for pair in combinations(sorted(members.losable), 2)]
        shape = geometry.shape(self.name, verb, size, aligned, lost)
        if geometry.level not in (MIRROR, RAID3):
            check_aligned(p, request.at, aligned)
        try:
            with (
                p.scope(),
                p.hold(self.lock) if self.lock else nullcontext(),
                members.watched(request),
                p.sharing() if len(shape.grains) > SOME * members.number else nullcontext(),
            ):
                planned = Planned(request, geometry.kind(verb, size, aligned), shape)
                self._declare(planned, lost)
                self._parts(planned)
        except TooManySteps:
            # Of volumes inside of one another, the outermost has the last word.
            if len(shape.grains) > MANY * members.number:
                raise TooManySteps(str(geometry.too_many(self.name, size, aligned, "too many"))) from None
            raise

    def passage(self, writes: bool) -> Passage:
        """The passage of a byte, whichever members serve it."""
        return self.members.written() if writes else self.members.passage(False)

    def _declare(self, r: Planned, lost: Sequence[int]) -> None:
        """Declare to the bound the parts that all bytes pass; `lost` are members that may fail."""
        if not self.members.survive(lost):
            return
        writes, shape = r.request.verb == "write", r.shape
        computed = not writes and any(shape.parities)
        uncounted = self._only(r) or (computed and 0 in shape.parities)
        counted = 0 if uncounted else shape.counted(WRITE if writes else READ)
        # The bound counts what goes on to the host where that is computed in any case.
        with self.members.parity.kept() if computed and not uncounted else nullcontext():
            passage = self.members.passage(writes)
        passage.declare(self.p, max(r.request.size - counted, 0))
        for phase, direction in enumerate((False, True)):
            requests = shape.asked[phase] if uncounted else shape.rest(phase)
            self.members.passage(direction).visit(self.p, requests)
        if writes:
            self._declare_parity(shape, max(r.request.size, counted))

    def _declare_parity(self, shape: Shape, declared: int) -> None:
        """Declare what a write moves to make parity: old data and parity that it reads, and the new parity.

        Of what it writes, `declared` bytes are declared already. A controller keeps all of this.
        """
        with self.members.parity.kept() if any(shape.parities) else nullcontext():
            read, written = self.members.passage(False), self.members.passage(True)
        read.declare(self.p, max(shape.moved[READ] - shape.counted(READ), 0))
        written.declare(self.p, max(shape.moved[WRITE] - declared, 0))

    def _only(self, r: Planned) -> bool:
        """True for reads of a single piece, which the calling thread makes."""
        return r.request.verb == "read" and (r.kind > 1 or self.geometry.level == MIRROR)

    def _parts(self, r: Planned) -> None:
        """All parts of a request, each in a thread of its own if there are several."""
        p, fewest, most = self.p, min(r.shape.parts), max(r.shape.parts)
        if most == 1:
            self._part(r, 0)
            return
        number, part = p.register(), p.register(0)
        self._open(r, number)
        with p.when(number > 1) if fewest == 1 else nullcontext():
            with p.loop(most) if fewest == most else p.until(part >= number):
                with p.fork(f"{self.name}: part", joined=True):
                    self._part(r, part)
                part.set(part + 1)
            p.join()
        if fewest == 1:
            with p.when(number == 1):
                self._part(r, 0)

    def _part(self, r: Planned, part: int | Register) -> None:
        """One part of a request: its reads, its parity, its writes."""
        p, shape = self.p, r.shape
        if not any(shape.parities):
            phase = VERBS.index(r.request.verb)
            with p.scope():
                self._begin(r, part, phase, p.register())
            self._pieces(r, phase)
            return
        parity = p.register()
        if r.request.verb == "write":
            if not self.lock:
                self._begin(r, part, READ, parity)
                if shape.most[READ]:
                    self._pieces(r, READ)
                self._compute(shape, parity)
            self._begin(r, part, WRITE, parity)
            self._pieces(r, WRITE, meanwhile=parity if self.lock else None)
            return
        self._begin(r, part, READ, parity)
        if 0 in shape.parities:
            with p.when(parity == 0):
                self._pieces(r, READ)
        size = r.request.size
        with p.when(parity > 0) if 0 in shape.parities else nullcontext(), self.members.parity.gathered(size):
            self._pieces(r, READ, computes=True)
            self._compute(shape, parity)

    def _open(self, r: Planned, parts: Register) -> None:
        self.p.call(parts, planner.open_request, self.plan, r.request.at, r.request.size)
        self.p.call(parts, planner.parts, self.plan, r.kind, r.request.present)

    def _begin(self, r: Planned, part: int | Register, phase: int, parity: Register) -> None:
        """Let the planner begin with the pieces of a phase; others may have used it since the last one."""
        self._open(r, parity)
        self.p.call(parity, planner.begin, self.plan, part, phase)

    def _compute(self, shape: Shape, parity: Register) -> None:
        """Compute the parity of a part."""
        for code in filter(None, sorted(shape.parities)):
            share = shape.share(shape.least[PARITY, code, 0])
            with case(self.p, parity, code, len(shape.parities) == 1, share):
                self.members.compute(code % SOURCES, code // SOURCES)

    # --- pieces ----------------------------------------------------------------------------------------------

    def _pieces(self, r: Planned, phase: int, computes: bool = False, meanwhile: Register | None = None) -> None:
        """All pieces of a phase that has begun, at the same time, and beside them the parity of `meanwhile`."""
        p, shape = self.p, r.shape
        with p.scope():
            member = p.answer(planner.next_piece, self.plan)
            if self._only(r) and not computes:
                self._only_piece(r, member)
                return
            if shape.certain(phase):
                with p.loop(shape.most[phase]):
                    self._piece(r, phase, member, computes)
            else:
                with p.when(member > 0), p.until(member == 0):
                    self._piece(r, phase, member, computes)
            if meanwhile is not None:
                with (
                    p.when(meanwhile > 0) if 0 in shape.parities else nullcontext(),
                    p.fork(f"{self.name}: parity", joined=True),
                ):
                    self._compute(shape, meanwhile)
            p.join()

    def _piece(self, r: Planned, phase: int, member: Register, computes: bool) -> None:
        """A joined child that makes the request of a member, whose number plus 1 is in a register; then the next."""
        p, shape = self.p, r.shape
        with p.scope():
            offset = p.answer(planner.offset, self.plan)
            sizes_of = {number: shape.sizes(phase, number) for number in range(self.members.number)}
            amount = offset
            if max(map(len, sizes_of.values())) > 1:
                amount = p.answer(planner.amount, self.plan)
            for number, sizes in sizes_of.items():
                least = [shape.least[phase, number, size] for size in sizes]
                if not sizes or not self.members.exists(number):
                    continue
                with p.when(member == number + 1, share=shape.share(sum(least), shape.most[phase])):
                    for size, few in zip(sizes, least, strict=True):
                        share = Fraction(few, sum(least)) if few else 0
                        grain = shape.grains[phase, number, size]
                        piece = Request(VERBS[phase], offset, size, grain, r.request.present)
                        with case(p, amount, size, len(sizes) == 1, share):
                            self._ask(r, phase, computes, number, piece)
        p.call(member, planner.next_piece, self.plan)

    def _ask(self, r: Planned, phase: int, computes: bool, number: int, piece: Request) -> None:
        """A joined child that makes the request of a member."""
        p, name = self.p, f"{self.name}: member"
        if self.changes is not None or self.members.failing:
            # The work that makes up for a failure belongs to the request that it is in.
            with p.fork(name, joined=True):
                self.members.issue(number, piece)
            return
        # A controller passes on data for its host, and keeps the operands of parity.
        key = self, number, r.request.verb, phase, computes, piece.size, piece.aligned, piece.at.number, piece.present
        p.fork_once(key, name, partial(self.members.issue, number, piece))

    def _only_piece(self, r: Planned, member: Register) -> None:
        """The only piece of a read, in the calling thread."""
        p, piece = self.p, r.request
        if self.geometry.level != MIRROR:
            offset = p.answer(planner.offset, self.plan)
            (grain,) = {r.shape.grains[key] for key in r.shape.grains if key[2] == piece.size}
            piece = replace(piece, at=offset, aligned=grain)
        self.members.read_only(self.plan, member, piece)
