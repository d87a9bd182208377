"""Jain's index of fairness: how evenly streams share what they have together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simio.result.model import StreamRate

TOTAL = "delivered"
"""The stream of all deliveries that have none of their own."""

_SENT, _RECEIVED = ": sent", ": received"
"""Ends of the names of what the two ends of the same traffic count."""


@dataclass(frozen=True)
class Fairness:
    """Jain's index over a number of streams: 1 where all have the same rate, 1 / `streams` where one has all."""

    index: float
    streams: int

    @property
    def sentence(self) -> str:
        """The index in words."""
        return f"Jain's index of fairness over {self.streams} streams: {self.index:.3f}"


def fairness(streams: Sequence[StreamRate]) -> Fairness | None:
    """The index over streams of deliveries, or without several of these over what is sent; None below two streams.

    Cross traffic that is both sent and received is one stream, of what is received. Beside streams that take what
    they can get, those that are `paced` by themselves, such as a ping, have no part in it.

    R. Jain, D. Chiu and W. Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301, 1984: the
    square of the sum over the number times the sum of squares.
    """
    if not all(each.paced for each in streams if each.name != TOTAL):
        streams = [each for each in streams if not each.paced]
    for sent in (False, True):
        own = {each.name: float(each.rate) for each in streams if each.sent == sent and each.name != TOTAL}
        again = {name.removesuffix(_RECEIVED) + _SENT for name in own if name.endswith(_RECEIVED)}
        rates = [rate for name, rate in own.items() if name not in again]
        squares = sum(rate * rate for rate in rates)
        if len(rates) > 1 and squares:
            return Fairness(sum(rates) ** 2 / (len(rates) * squares), len(rates))
    return None
