"""Datasheets of ATM links and switches (ITU-T I.361, I.363.5; ATM Forum UNI 3.1)."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import DelayPerLength, Extent, Limit, Probability, Rate, Size, Time, refusal
from simio.description.sheets.base import Sheet, SwitchSheet, register_sheet, size_text


class AtmLink(Sheet):
    """An ATM link: cells in the payload of SONET frames, IP datagrams in AAL5 with LLC and SNAP."""

    faults: ClassVar[tuple[str, ...]] = ("down",)

    work = {"propagation": "signals"}

    rate: Rate = Field(description="rate of cells, headers included: the payload of the SONET frames")
    cell: Extent = Field(description="size of a cell")
    cell_payload: Extent = Field(description="payload of a cell")
    trailer: Size = Field(description="trailer of an AAL5 frame, which is padded to whole cells")
    encapsulation: Size = Field(description="header before an IP datagram: LLC and SNAP")
    mtu: Extent = Field(description="largest IP datagram")
    propagation: DelayPerLength = Field(description="signal delay of the fibre")
    cell_loss: Probability = Field(
        0, description="cell loss ratio; a packet that misses a cell is lost (its AAL5 check fails)"
    )
    loss: Probability = Field(0, description="probability that a packet is lost on the link")

    @model_validator(mode="after")
    def _cells_have_headers(self) -> Self:
        if self.cell_payload > self.cell:
            limit = f"at most the cell, {size_text(self.cell)}"
            raise refusal(size_text(self.cell_payload), limit, field="cell_payload")
        return self


class AtmSwitchSheet(SwitchSheet):
    """An ATM switch with a buffer of cells at each output."""

    link_kinds: ClassVar[tuple[str, ...]] = ("atm",)

    latency: Time = Field(description="delay of a cell through the switch when nothing waits")
    buffer: Extent = Field(description="buffer of an output port, cell headers included")
    discard_above: Limit = Field(
        None,
        description="early packet discard: with more in the buffer, no cell of a new packet is taken; none: cells "
        "are dropped one by one when the buffer is full",
    )

    @model_validator(mode="after")
    def _discards_before_it_is_full(self) -> Self:
        if self.discard_above and self.discard_above >= self.buffer:
            limit = f"less than the buffer, {size_text(self.buffer)}"
            raise refusal(size_text(self.discard_above), limit, field="discard_above")
        return self


register_sheet("link", "atm", AtmLink)
register_sheet("switch", "atm", AtmSwitchSheet)
