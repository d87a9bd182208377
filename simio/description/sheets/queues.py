"""Values of queues that a discipline manages, in datasheets of links and switches."""

from typing import Annotated

from pydantic import Field

from simio.description.quantities import Duration, Extent, Flag, Limit, Name, Probability, Whole
from simio.description.sheets.base import Sheet
from simio.machines.network.disciplines import DISCIPLINES


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

    @property
    def managed(self) -> bool:
        """True if more than what does not fit is dropped or marked."""
        return self.discipline != "drop-tail" or self.mark_above is not None
