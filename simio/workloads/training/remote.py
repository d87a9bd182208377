"""Samples that a host reads over NFS: a mount of each server, opened and closed for each file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.workloads.common.remote import Servers


class Remote:
    """The devices and page caches of one host over the servers of a training, which have the files in turn."""

    def __init__(self, servers: Servers, name: str, host: str) -> None:
        site, params = servers.site, servers.workload.params
        names = params.server
        targets = site.targets(params.from_) if params.from_ else [None]
        made = [servers.mount(name if len(names) == 1 else f"{name} of {server}", host, server) for server in names]
        pairs = [(mount, servers.at(mount, target)) for target in targets for mount in made]
        self.devices = [device for _, device in pairs]
        self.mounts = [servers.cached(mount, device, params.transfer) for mount, device in pairs]
        self._remote = [mount for mount, _ in pairs]

    @contextmanager
    def opened(self, device: int) -> Iterator[None]:
        """Run the body with a file of a device open."""
        mount = self._remote[device]
        mount.transport.mounted()
        mount.open()
        yield
        mount.close()
