"""One pass over a file on an NFS server: the program and the client's daemons."""

from __future__ import annotations

from simio.components.network.nfs import NfsMount
from simio.components.site import Site
from simio.description.arrivals import Arrivals
from simio.errors import RunError
from simio.machines import instants
from simio.machines.network import rpc
from simio.program.builder import Handle, Register, since
from simio.workloads.common.arrivals import ArrivalProcess


def read(site: Site, mount: NfsMount, delivered: Handle) -> None:
    """The program reads block by block; daemons read `biods` blocks ahead, and without any it does so itself."""
    p, params, name = site.p, mount.params, mount.name
    took = p.observation(f"{name}: block", "latency", "ps")
    if params.biods:
        mount.wakes(mount.ready, 1)
        _read_ahead(site, mount)
    with p.thread(f"{name}: reader on {mount.client.name}"):
        if params.biods:
            p.put(mount.wanted, params.biods)
        for amount in p.pieces(params.size, params.transfer):
            begun = p.now()
            mount.declare(amount)
            with mount.unless_given_up():
                mount.client.kernel.system_call()
                if params.biods:
                    p.put(mount.wanted, 1)
                    mount.client.kernel.slept(lambda: p.get(mount.ready, 1))
                else:
                    block = p.register()
                    with mount.next_block(block):
                        mount.read(block, own=True)
            with mount.unless_given_up():
                if mount.client.sheet.copies:
                    mount.client.host.copy(amount)
                p.mark(took, since(begun))
                p.mark(delivered, amount)


def _read_ahead(site: Site, mount: NfsMount) -> None:
    p, params = site.p, mount.params
    with (
        p.thread(f"{mount.name}: biod on {mount.client.name}", count=params.biods, daemon=True),
        p.forever(),
    ):
        block = p.register()
        mount.client.kernel.slept(lambda: p.get(mount.wanted, 1))
        with mount.next_block(block):
            mount.read(block, own=False)
            mount.arrived(block)


def write(site: Site, mount: NfsMount, delivered: Handle) -> None:
    """The program writes block by block into the cache; a free daemon sends each on, or the program if none is.

    It ends when all is written and, with version 3, committed, as close() waits for that.
    """
    p, params, name = site.p, mount.params, mount.name
    took = p.observation(f"{name}: block", "latency", "ps")
    free = p.machine(f"{name} free daemons", rpc.PERMITS.initial(free=params.biods))
    done = p.container(f"{name} blocks written", unit="blocks")
    mount.wakes(done, mount.blocks)
    with (
        p.thread(f"{name}: biod on {mount.client.name}", count=max(params.biods, 1), daemon=True),
        p.forever(),
    ):
        block, rest = p.register(), p.register()
        mount.client.kernel.slept(lambda: p.get(mount.wanted, 1))
        with mount.next_block(block):
            mount.write(block, own=False)
            _written(site, mount, block, delivered)
        p.call(rest, rpc.restore, free)
        p.put(done, 1)
    with p.thread(f"{name}: writer on {mount.client.name}"):
        for amount in p.pieces(params.size, params.transfer):
            begun, granted, block = p.now(), p.register(), p.register()
            p.promise(amount)
            mount.declare(amount)
            with mount.unless_given_up():
                mount.client.kernel.system_call()
                if mount.client.sheet.copies:
                    mount.client.host.copy(amount)
                _hand_over(site, mount, (granted, block), free, done, delivered)
                p.mark(took, since(begun))
        with mount.unless_given_up():
            p.get(done, mount.blocks)
        if params.version == 3:
            with mount.unless_given_up():
                _commit(site, mount, free, done, delivered)
        p.mark(p.observation(f"{name}: closed", "ended", "bytes"), 0)


def arriving(site: Site, name: str, mount: NfsMount, arrivals: Arrivals, delivered: Handle, shares: int) -> None:
    """Operations that arrive, whatever becomes of those before; each is of the next block, by a daemon of its own.

    Raises RunError where the server may lose what was written, as nothing writes it again.
    """
    p, params = site.p, mount.params
    if mount.kept is not None:
        raise RunError(f"workload {name!r}: operations that arrive need a server that does not crash", at=".arrivals")
    took = p.observation(f"{name}: operation", "latency", "ps")
    p.load(name, took, arrivals.mean)
    process = ArrivalProcess(p, mount.name, arrivals, shares)
    came = p.machine(f"{mount.name} arrivals", instants.kept(mount.blocks))
    left = p.container(f"{mount.name} operations done", unit="operations")
    with (
        p.thread(f"{mount.name}: biod on {mount.client.name}", count=params.biods, daemon=True),
        p.forever(),
        p.scope(),
    ):
        arrived, block = process.wait(), p.register()
        with mount.next_block(block):
            p.answer(instants.keep, came, block, arrived)
            (mount.read if params.access == "read" else mount.write)(block, own=False)
            p.mark(took, since(p.answer(instants.kept_at, came, block)))
            p.mark(delivered, mount.amount(block))
            p.put(left, 1)
    with p.thread(f"{mount.name}: program on {mount.client.name}"):
        p.get(left, mount.blocks)


def _hand_over(
    site: Site,
    mount: NfsMount,
    registers: tuple[Register, Register],
    free: int,
    done: Handle,
    delivered: Handle,
) -> None:
    """The next block goes to a daemon that is free, or else is written here and now."""
    p = site.p
    granted, block = registers
    p.call(granted, rpc.grant, free)
    with p.when(granted == 1):
        p.put(mount.wanted, 1)
    with p.when(granted == 0):
        with mount.next_block(block):
            mount.write(block, own=True)
            with mount.unless_given_up():
                _written(site, mount, block, delivered)
        p.put(done, 1)


def _commit(site: Site, mount: NfsMount, free: int, done: Handle, delivered: Handle) -> None:
    """COMMIT, as often as the server lost before it what had been written: that is written again first."""
    p = site.p
    if mount.kept is None:
        mount.commit()
        return
    left, registers = p.register(), (p.register(), p.register())
    mount.left(left)
    with p.until(left == 0):
        with p.when(left > 0), mount.unless_given_up():
            with p.loop(left):
                _hand_over(site, mount, registers, free, done, delivered)
            p.get(done, left)
        mount.left(left)
        with p.when(left == 0):
            mount.commit()
            mount.left(left)


def _written(site: Site, mount: NfsMount, block: Register, delivered: Handle) -> None:
    """A block was written. The first time its bytes count; until it has been written again, the file is not there."""
    p = site.p
    with p.scope():
        amount = p.register(mount.amount(block))
        mount.count_once(amount, block)
        p.mark(delivered, amount)
