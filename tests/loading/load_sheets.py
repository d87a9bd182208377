"""Kinds of parts that are registered for these tests only: a shared link with what fits it, and parts of volumes."""

from __future__ import annotations

from pydantic import Field

from simio.description.quantities import Count, Extent, Rate
from simio.description.sheets import Sheet, register_sheet
from simio.description.sheets.disks import Drive


class BusLink(Sheet):
    """A link that joins up to so many devices."""

    shared = True

    rate: Rate = Field(description="rate of the bus")
    devices: Count = Field(description="devices on the bus")

    @property
    def joins(self) -> int:
        return self.devices


class OpenLink(Sheet):
    """A link that joins any number of ends."""

    shared = True


class BusAdapter(Sheet):
    """An adapter on the bus."""

    link_kinds = ("test-bus", "test-open")


class BusDisk(Drive):
    """A disk on the bus."""

    link_kinds = ("test-bus", "test-open")


class FileSystem(Sheet):
    """A file system."""

    block: Extent = Field(description="bytes a block")


class Controller(Sheet):
    """An array controller."""

    cache: Extent = Field(description="memory")


def register() -> None:
    """Register all of them."""
    register_sheet("link", "test-bus", BusLink)
    register_sheet("link", "test-open", OpenLink)
    register_sheet("adapter", "test-bus", BusAdapter)
    register_sheet("disk", "test-bus", BusDisk)
    register_sheet("filesystem", "test", FileSystem)
    register_sheet("controller", "test", Controller)
