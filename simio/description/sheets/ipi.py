"""Datasheets of IPI-3: adapters (masters), the physical bus and drives behind their slaves."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, DelayPerLength, Extent, Length, Rate, Time
from simio.description.sheets.adapters import StorageAdapter
from simio.description.sheets.base import LINE, Sheet, register_sheet
from simio.description.sheets.disks import Drive, check_gathers


class IpiAdapter(StorageAdapter):
    """An IPI channel adapter, the master of its bus, with its driver."""


class IpiHippiAdapter(IpiAdapter):
    """A HIPPI channel adapter whose driver speaks IPI-3 to the device at the other end."""

    link_kinds: ClassVar[tuple[str, ...]] = ("hippi",)

    ready_window: Count = Field(description="bursts that either end allows ahead (READY signals)")


class IpiLink(Sheet):
    """An IPI physical bus (ANSI X3.129, ISO 9318-1): one master, and slaves that it selects."""

    work = {"propagation": "signals"}

    shared: ClassVar[bool] = True

    devices: Count = Field(description="most devices on the bus, the master included")
    rate: Rate = Field(description="rate of an information transfer")
    attention: Time = Field(description="time of the master to find which slave asks for it")
    selection: Time = Field(description="time to select a slave and its facility")
    bus_exchange: Time = Field(
        description="bus control before an information transfer and ending status after it, without the cable"
    )
    burst: Extent = Field(description="most bytes of an information transfer")
    longest: Length = Field(description="longest cable")
    propagation: DelayPerLength = Field(description="signal delay of the cable")

    @property
    def joins(self) -> int:
        """See `Sheet.joins`."""
        return self.devices


class IpiDisk(Drive):
    """A disk drive, or an array that looks like one, behind a slave that speaks IPI-3 (ISO 9318-3)."""

    work = {"rate": LINE}

    link_kinds: ClassVar[tuple[str, ...]] = ("ipi-3", "hippi")

    rate: Rate = Field(description="fastest information transfer of its slave")
    reconnect: Extent = Field(description="bytes that the slave gathers before it asks for the master")

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        check_gathers(self, self.reconnect)
        return self


register_sheet("adapter", "ipi-3", IpiAdapter)
register_sheet("adapter", "ipi-3-hippi", IpiHippiAdapter)
register_sheet("link", "ipi-3", IpiLink)
register_sheet("disk", "ipi-3", IpiDisk)
