"""Commands of a disk that can fail: lost on the route, ended by an error of the medium, or never answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from simio.components.faults.condition import FOREVER, Latch, Schedule
from simio.components.faults.failures import Failures
from simio.components.faults.policy import Outage, Policy
from simio.components.passage import Passage
from simio.components.storage.interfaces import Initiator, Transport
from simio.program.builder import Builder, Handle, Register, maximum, since

DONE, MEDIUM_ERROR, GIVEN_UP = range(3)
"""End of a command: success, an error of the medium, or the loss of its disk."""
UNREPORTED = 1
"""A command was lost in an outage that is not reported to the driver; one more for each outage that is."""

Carry = Callable[[Transport, Register], None]
"""A drive's work for a command, over a transport; the register is not 0 afterwards if the medium failed."""


class FaultyTransport:
    """The transport of one command, over a route that is down at times, to a drive that may answer no more.

    What is on the route at any instant of an outage, or waits for it until then, is lost. Nothing more comes of the
    command from either side then, and the register `lost` says in which outage that was. The register `pending` is 1
    from when the command leaves until its status has been sent or it is aborted. `silent` is when the drive neither
    sends data nor asks for any.
    """

    any_size = False

    def __init__(
        self,
        p: Builder,
        transport: Transport,
        outages: tuple[Outage, ...],
        silent: Schedule,
        lost: Register,
        pending: Register,
    ) -> None:
        self.p, self.transport, self.outages, self.silent = p, transport, outages, silent
        self.unit, self.burst, self.pace = transport.unit, transport.burst, transport.pace
        self.lost, self.pending = lost, pending
        reported = [each for each in outages if each.reported is not None]
        self.reported = list(enumerate(reported, UNREPORTED + 1))
        """Outages that are reported to the driver, each with the value of `lost` then."""
        unreported = [(UNREPORTED, each) for each in outages if each.reported is None]
        self._codes = [*unreported, *self.reported]

    def request(self) -> None:
        """The command to the drive."""
        self.pending.set(1)
        with self._exposed():
            self.transport.request()

    def send(self, amount: int) -> None:
        """Data to the host."""
        with self.silent.up(), self._exposed():
            self.transport.send(amount)

    def fetch(self, amount: int) -> None:
        """Data from the host."""
        with self.silent.up(), self._exposed():
            self.transport.fetch(amount)

    def reply(self) -> None:
        """Status, if the command got to the drive."""
        with self.intact(), self.p.when(self.pending == 1) if self.silent else nullcontext():
            self.pending.set(0)
            with self._exposed():
                self.transport.reply()

    def passage(self, writes: bool) -> Passage:
        """The whole way, of data that are not lost."""
        return self.transport.passage(writes)

    def abort(self) -> None:
        """End a command that was not answered, which takes as long as its status would have."""
        with self.p.when(self.pending == 1):
            self.pending.set(0)
            self.transport.reply()

    def intact(self) -> AbstractContextManager[None]:
        """Run the body unless the command is lost."""
        return self.p.when(self.lost == 0) if self.outages else nullcontext()

    def lose_reported(self, sent: Register) -> None:
        """Lose the command if an outage was reported while it was outstanding."""
        p = self.p
        for code, each in self.reported:
            with p.scope(), p.when(p.now() > (each.reported or 0)), p.when(sent < each.end):
                self.lost.set(maximum(self.lost, code))

    @contextmanager
    def _exposed(self) -> Iterator[None]:
        """Run the body unless the command is lost, and lose it if the route is down meanwhile."""
        if not self.outages:
            yield
            return
        p = self.p
        with self.intact(), p.scope():
            since = p.now()
            yield
            now = p.now()
            for code, each in self._codes:
                with p.when(now > each.begin), p.when(since < each.end):
                    self.lost.set(maximum(self.lost, code))


class CommandRecovery:
    """Sends commands again, waits for answers that do not come, and gives a disk up, as a policy says.

    A disk that is given up stays so, since it may lack what was written meanwhile elsewhere: all of its commands
    that wait fail, and all later ones.
    """

    def __init__(
        self,
        p: Builder,
        initiator: Initiator,
        transport: Transport,
        queue: Handle,
        policy: Policy,
        failures: Failures,
    ) -> None:
        self.p, self.initiator, self.transport, self.queue = p, initiator, transport, queue
        self.policy, self.failures = policy, failures
        died = policy.silent_from
        self.silent = Schedule(p, [(died, FOREVER)] if died is not None else ())
        by = f" by {policy.host}" if policy.cut_off else ""
        self.given_up = Latch(p, f"{policy.disk} given up{by}")
        if policy.outages:
            self.count = p.variable(f"{policy.disk} lost from {policy.host}")
            p.tally(policy.disk, "commands lost on the way", self.count.offset, "commands")

    def command(self, amount: int, carry: Carry) -> None:
        """A command for `amount` bytes, until it is done or the driver gives up; then its request fails."""
        p = self.p
        result, left = p.register(), p.register(self.policy.medium_retries + 1)
        with p.until(left == 0):
            result.set(DONE)
            with p.hold(self.queue):
                if self.policy.outages:
                    self._until_not_lost(amount, carry, result)
                else:
                    self._attempt(self._line(), carry, result)
            self.initiator.complete(amount)
            left.set(left - 1)
            with p.when(result != MEDIUM_ERROR):
                left.set(0)
            with p.when(left > 0):
                self.initiator.issue(amount)
        with p.when(result != DONE):
            self.failures.fail()

    def _line(self) -> FaultyTransport:
        p = self.p
        return FaultyTransport(p, self.transport, self.policy.outages, self.silent, p.register(0), p.register(0))

    def _attempt(self, line: FaultyTransport, carry: Carry, result: Register) -> None:
        """Send a command once. If the drive is silent, wait until it is given up, and abort the command."""
        p = self.p
        self.initiator.start()
        with p.scope():
            sent = p.now()
            with self.silent.up():
                line.request()
                with line.intact():
                    carry(line, result)
            if self.silent:
                with self.silent.down():
                    result.set(GIVEN_UP)
                    self._wait_in_vain(sent)
        line.reply()

    def _wait_in_vain(self, sent: Register) -> None:
        """Wait until the driver gives the disk up, when the first of its commands times out."""
        with self.given_up.up():
            with self.p.fork("command timeout", daemon=True):
                self.p.wait_until(sent + self.policy.silence)
                self.given_up.set()
            self.given_up.wait()

    # --- a route that is down at times -----------------------------------------------------------------------

    def _until_not_lost(self, amount: int, carry: Carry, result: Register) -> None:
        """Send a command until it is not lost, or the disk is given up; it keeps its place in the queue."""
        p = self.p
        with p.scope():
            left, sent, line = p.register(self.policy.retries + 1), p.register(), self._line()
            with p.until(left == 0):
                result.set(DONE)
                line.lost.set(0)
                self._hold(line, result)
                sent.set(since(0))
                with p.when(result == DONE):
                    self._attempt(line, carry, result)
                    line.lose_reported(sent)
                with p.when(result == GIVEN_UP):
                    line.abort()
                    line.lost.set(0)
                with p.when(line.lost == 0):
                    left.set(0)
                with p.when(line.lost > 0):
                    self._lose(line, sent, left, result)
                    with p.when(left > 0):
                        self.initiator.issue(amount)

    def _hold(self, line: FaultyTransport, result: Register) -> None:
        """Wait while the driver knows that the route is down; `result` says if the disk was given up."""
        p = self.p
        if self.policy.gives_up:
            with self.given_up.down():
                result.set(GIVEN_UP)
        for _, each in line.reported:
            with p.scope():
                now = p.now()
                with p.when(now >= (each.reported or 0)), p.when(now < each.end), p.when(result == DONE):
                    self._sit_out(each, result)

    def _lose(self, line: FaultyTransport, sent: Register, left: Register, result: Register) -> None:
        """Wait until a command that was lost is to be sent again, unless none is `left`, and abort it."""
        p, policy = self.p, self.policy
        result.set(DONE)
        with p.scope():
            self.count.increment()
        with p.when(line.lost == UNREPORTED):
            p.wait_until(sent + policy.timeout)
            if policy.cut_off:
                left.set(left - 1)
                with p.when(left == 0):
                    self._give_up(result)
        for code, each in line.reported:
            with p.when(line.lost == code):
                self._sit_out(each, result)
                if each.fatal:
                    left.set(0)
        line.abort()

    def _sit_out(self, outage: Outage, result: Register) -> None:
        """Wait until the driver sends commands again, or gives the disk up."""
        self.p.wait_until(outage.held)
        if outage.fatal:
            self._give_up(result)

    def _give_up(self, result: Register) -> None:
        result.set(GIVEN_UP)
        with self.given_up.up():
            self.given_up.set()
