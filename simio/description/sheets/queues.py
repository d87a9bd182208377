"""Values of queues that a discipline manages, in datasheets of links and switches."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Flag,
    Limit,
    Name,
    OptionalCount,
    Probability,
    Whole,
    refusal,
)
from simio.description.sheets.base import Sheet
from simio.machines.network.disciplines import DISCIPLINES


def _listed(value: object) -> object:
    return (value,) if isinstance(value, int) else value


_List = Annotated[tuple[Count, ...], Field(max_length=8)]
Weights = Annotated[_List, BeforeValidator(_listed, json_schema_input_type=_List | Count)]
"""Weights of classes of traffic, from class 0 on; a number is that of class 0."""


class QueueSheet(Sheet):
    """A queue before a line: the rule for dropping or marking packets."""

    discipline: Annotated[str, Name(DISCIPLINES)] = Field("drop-tail", description="queue discipline")
    mark: Flag = Field(False, description="whether RED and CoDel mark packets that are ECN-capable, not drop them")
    mark_above: Limit = Field(
        None, description="level of the queue above which packets that are ECN-capable are marked; none: never"
    )
    red_least: Limit = Field(None, description="mean level from which on RED drops; none: a twelfth of the queue")
    red_most: Limit = Field(
        None, description="mean level at which RED's chance is largest; none: a fourth of the queue"
    )
    red_chance: Probability = Field(0.02, description="that chance")
    red_weight: Whole = Field(9, description="the mean follows the level by 2^-n a packet")
    target: Duration = Field(5 * 10**9, description="time that packets may wait in CoDel's queue")
    interval: Duration = Field(100 * 10**9, description="time for which they wait longer before CoDel drops one")
    quantum: Extent = Field(
        1514, description="bytes of a flow's turn with fq_codel, and which CoDel leaves in any case"
    )

    flows: OptionalCount = Field(
        1024, description="queues of fq_codel, to which connections fall by a hash; none: one for each connection"
    )
    weights: Weights = Field(
        (),
        description="priority: by which traffic classes from 0 on share what more urgent ones leave; none: each goes "
        "before all below it",
    )

    @model_validator(mode="after")
    def _weights_are_used(self) -> Self:
        if self.weights and self.discipline != "priority":
            raise refusal(self.discipline, "priority, the discipline with weights", field="discipline")
        return self

    @property
    def hashed(self) -> bool:
        """See `Sheet.hashed`."""
        return self.discipline == "fq_codel" and self.flows is not None

    @property
    def managed(self) -> bool:
        """True if more than what does not fit is dropped or marked."""
        return self.discipline != "drop-tail" or self.mark_above is not None
