"""The kinds of parts by category; a kind's file is imported when its sheet is first asked for."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from simio.description.sheets import base
from simio.description.sheets.base import S, Sheet
from simio.machines import strategies

_FOLDER = __name__.rpartition(".")[0]
PLACES: Mapping[str, tuple[str, ...]] = {
    "atm": ("link atm", "switch atm"),
    "buses": ("bus parallel",),
    "cloud": ("disk cloud-volume",),
    "controllers": ("controller array",),
    "disks": ("disk fibre-channel",),
    "emulated": ("link emulated",),
    "ethernet": ("link ethernet", "link ethernet-shared", "switch ethernet"),
    "fddi": ("link fddi",),
    "fibre_channel": (
        "adapter fibre-channel",
        "link fibre-channel",
        "link fibre-channel-loop",
        "switch fibre-channel",
    ),
    "filesystems": ("filesystem cached",),
    "hippi": ("adapter hippi", "link hippi", "switch hippi"),
    "hosts": ("cpu cpu", "memory memory", "host host"),
    "ipi": ("adapter ipi-3", "adapter ipi-3-hippi", "link ipi-3", "disk ipi-3"),
    "kernels": ("kernel unix",),
    "linux": ("kernel linux",),
    "network": (
        "adapter network",
        "adapter fibre-channel-network",
        "adapter ideal-network",
        "adapter virtual-network",
    ),
    "nvme": ("adapter nvme", "link nvme", "disk nvme"),
    "packets": ("kernel linux-packets",),
    "remote": ("adapter nvme-tcp", "adapter iscsi", "link nvme-tcp", "link iscsi"),
    "rdma": ("adapter rdma-ethernet",),
    "pcie": ("bus pcie", "adapter dma", "root pcie"),
    "queued": ("adapter multiqueue-ethernet",),
    "scsi": ("adapter scsi", "link scsi", "disk scsi"),
    "serial": (
        "adapter sata",
        "adapter sas",
        "link sata",
        "link sas",
        "disk sata",
        "disk sas",
        "disk sata-flash",
        "disk sas-flash",
    ),
    "stacks": ("stack tcp-ip",),
}
"""The kinds in each file, so that a run imports those of its parts alone. For a kind that is missing here all files
are imported."""
_PLACE = {kind: file for file, kinds in PLACES.items() for kind in kinds}


class _Kinds(Mapping[str, type[Sheet]]):
    """The sheets of the kinds of a category."""

    def __init__(self, category: str) -> None:
        self.category = category

    def __getitem__(self, kind: str) -> type[Sheet]:
        key = self.category, kind
        if key not in base.REGISTERED and (file := _PLACE.get(f"{self.category} {kind}")):
            import_module(f"{_FOLDER}.{file}")
        if key not in base.REGISTERED:
            import_all()
        return base.REGISTERED[key]

    def __iter__(self) -> Iterator[str]:
        import_all()
        return iter(sorted(kind for category, kind in base.REGISTERED if category == self.category))

    def __len__(self) -> int:
        return len(list(iter(self)))


def sheet_kinds(category: str) -> Mapping[str, type[Sheet]]:
    """The kinds of a category, sorted by name, each with its sheet."""
    return _Kinds(category)


def register_sheet(category: str, kind: str, model: S) -> S:
    """Make `model` the sheet of a kind of parts. Raises ValueError for a second model and an unknown category."""
    if f"{category} {kind}" in _PLACE:
        sheet_kinds(category)[kind]  # is registered before
    return base.register_sheet(category, kind, model)


@cache
def import_all() -> None:
    """Import the files of all kinds."""
    strategies.import_all(_FOLDER)
