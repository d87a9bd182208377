"""Datasheet of links that software makes: rate, delay, jitter and losses as traffic control has them."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    DelayPerLength,
    Extent,
    Flag,
    Limit,
    OptionalRate,
    Probability,
    Size,
    Time,
    refusal,
)
from simio.description.sheets.base import register_sheet, size_text
from simio.description.sheets.queues import QueueSheet


class EmulatedLink(QueueSheet):
    """A path that software makes between two ports, each way: a token bucket with a queue, then a relay."""

    faults: ClassVar[tuple[str, ...]] = ("down",)
    work = {"propagation": "signals", "jitter": "signals"}

    mtu: Extent = Field(description="largest IP datagram")
    header: Size = Field(description="bytes of a frame beside its packet that the token bucket counts")
    rate: OptionalRate = Field(
        None, description="rate at which the token bucket fills, each way; none: packets take no time"
    )
    burst: Extent = Field(description="bytes that the token bucket holds, with which it begins")
    queue: Limit = Field(None, description="bytes that may wait for tokens, more is dropped; none: any number")
    propagation: DelayPerLength = Field(description="delay by length, so that a link can have length or delay")
    jitter: Time = Field(
        0, description="most that a packet is held beyond the delay, drawn evenly for each; 0 s: none is"
    )
    reorder: Flag = Field(False, description="whether packets may then overtake one another")
    loss: Probability = Field(0, description="probability that a packet is lost on the link")
    burst_begins: Probability = Field(
        0, description="probability with each packet that a burst of losses begins (Gilbert and Elliott)"
    )
    burst_ends: Probability = Field(1, description="probability with each packet that it ends")
    burst_loss: Probability = Field(1, description="probability that a packet is lost in it")
    policed: Flag = Field(False, description="whether packets without tokens are dropped, and none waits")

    @model_validator(mode="after")
    def _packets_fit(self) -> Self:
        for key, there in (("policed", self.policed), ("discipline", self.managed)):
            if there and not self.rate:
                raise refusal(str(getattr(self, key)), "a rate, without which packets never wait", field=key)
        if self.managed and not self.queue:
            raise refusal("none", "a size, as the queue has a discipline", field="queue")
        if not self.rate:
            return self
        least = self.mtu + self.header
        for key in ("burst", "queue"):
            size = getattr(self, key)
            if size is not None and size < least:
                expected = f"at least mtu and header, {size_text(least)}, as larger packets would never pass"
                raise refusal(size_text(size), expected, field=key)
        return self


register_sheet("link", "emulated", EmulatedLink)
