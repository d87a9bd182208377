"""A file read or written in order over NFS: the program, the client's daemons and the server's threads."""

from __future__ import annotations

from simio.components.network.nfs import NfsMount
from simio.components.network.udp import check_size
from simio.description.model import Workload
from simio.lower import Site
from simio.machines.network.transfer_calls import GRANT, RESTORE
from simio.program.builder import Handle, Register
from simio.workloads.served import server_storage


def nfs(site: Site, workload: Workload) -> None:
    """One pass of each client over a file of `size` bytes, a block of `transfer` bytes a system call."""
    params = workload.params
    clients = params.readers
    pools = {}
    if len(clients) > 1:
        pools = {
            server: site.p.resource(f"{workload.name}: nfsds of {server}", params.nfsds, turn=True)
            for server in params.ports[: len(clients)]
        }
    for number, client in enumerate(clients):
        server = params.ports[number % len(params.ports)]
        name = workload.name if len(clients) == 1 else f"{workload.name} {client}"
        delivered = site.delivered if len(clients) == 1 else site.stream(f"{workload.name}: {client}")
        storage = server_storage(site, workload, number, server) if params.storage else None
        stacks = site.sockets.stack(client), site.sockets.stack(server)
        paths = site.network.path(client, server), site.network.path(server, client)
        mount = NfsMount(name, stacks, paths, params, storage, pools.get(server))
        data, end = ("read_reply", 1) if params.access == "read" else ("write", 0)
        check_size(workload.name, stacks[end], mount.message(data))
        with site.p.thread(f"{name}: nfsd on {server}", count=params.nfsds, daemon=True):
            mount.serve()
        (_read if params.access == "read" else _write)(site, mount, delivered)


def _read(site: Site, mount: NfsMount, delivered: Handle) -> None:
    """The program reads block by block; daemons read `biods` blocks ahead, and without any it does so itself."""
    p, params, name = site.p, mount.params, mount.name
    took = p.observation(f"{name}: block", "latency", "ps")
    if params.biods:
        _read_ahead(site, mount)
    with p.thread(f"{name}: reader on {mount.client.name}"):
        if params.biods:
            p.put(mount.wanted, params.biods)
        for amount in p.pieces(params.size, params.transfer):
            begun = p.register()
            p.let(begun, "SINCE", 0)
            mount.declare(amount)
            mount.client.kernel.system_call()
            if params.biods:
                p.put(mount.wanted, 1)
                mount.client.kernel.slept(lambda: p.get(mount.ready, 1))
            else:
                block = p.register()
                with mount.next_block(block):
                    mount.read(block, own=True)
            if mount.client.sheet.copies:
                mount.client.host.copy(amount)
            p.let(begun, "SINCE", begun)
            p.mark(took, begun)
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


def _write(site: Site, mount: NfsMount, delivered: Handle) -> None:
    """The program writes block by block into the cache; a free daemon sends each on, or the program if none is.

    It ends when all is written and, with version 3, committed, as close() waits for that.
    """
    p, params, name = site.p, mount.params, mount.name
    took = p.observation(f"{name}: block", "latency", "ps")
    free = p.machine(f"{name} free daemons", [params.biods])
    done = p.container(f"{name} blocks written", unit="blocks")
    with (
        p.thread(f"{name}: biod on {mount.client.name}", count=max(params.biods, 1), daemon=True),
        p.forever(),
    ):
        block, rest = p.register(), p.register()
        mount.client.kernel.slept(lambda: p.get(mount.wanted, 1))
        with mount.next_block(block):
            mount.write(block, own=False)
            _written(site, mount, block, delivered)
        p.call(rest, RESTORE, free)
        p.put(done, 1)
    with p.thread(f"{name}: writer on {mount.client.name}"):
        for amount in p.pieces(params.size, params.transfer):
            begun, granted, block = p.register(), p.register(), p.register()
            p.let(begun, "SINCE", 0)
            p.promise(amount)
            mount.declare(amount)
            mount.client.kernel.system_call()
            if mount.client.sheet.copies:
                mount.client.host.copy(amount)
            p.call(granted, GRANT, free)
            with p.when(granted, "==", 1):
                p.put(mount.wanted, 1)
            with p.when(granted, "==", 0):
                with mount.next_block(block):
                    mount.write(block, own=True)
                    _written(site, mount, block, delivered)
                p.put(done, 1)
            p.let(begun, "SINCE", begun)
            p.mark(took, begun)
        p.get(done, mount.blocks)
        if params.version == 3:
            mount.commit()


def _written(site: Site, mount: NfsMount, block: Register, delivered: Handle) -> None:
    p = site.p
    with p.loop(1):
        amount = p.register()
        mount.amount(amount, block)
        p.mark(delivered, amount)
