"""Datasheets of NVMe: the driver, the slots of drives, and solid-state drives in them."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, Extent, refusal
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.base import Sheet, register_sheet, size_text
from simio.description.sheets.flash import FlashDrive
from simio.description.sheets.pcie import PcieDevice


class NvmeAdapter(StorageAdapter):
    """The NVMe driver of a host."""


class NvmeLink(Sheet):
    """The slots of NVMe drives, each with lanes of its own: those of the adapter's bus."""

    shared: ClassVar[bool] = True

    slots: Count = Field(description="most drives")


class NvmeDrive(PcieDevice, FlashDrive):
    """A solid-state drive with NVMe queues over PCI Express."""

    alternatives: ClassVar[tuple[str, ...]] = (*FlashDrive.alternatives, *PcieDevice.alternatives)

    largest: Extent = Field(description="most bytes of a command (MDTS)")
    fetches: Count = Field(description="entries of a submission queue that it fetches at once, at most")

    @model_validator(mode="after")
    def _commands_hold_sectors(self) -> Self:
        if self.largest % self.map_unit:
            expected = f"a multiple of map_unit, {size_text(self.map_unit)}"
            raise refusal(size_text(self.largest), expected, field="largest")
        return self


register_sheet("adapter", "nvme", NvmeAdapter)
register_sheet("link", "nvme", NvmeLink)
register_sheet("disk", "nvme", NvmeDrive)
