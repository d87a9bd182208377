"""What a device on PCI Express brings to its link: the generation and the lanes that it has at most."""

from pydantic import Field, model_validator

from simio.description.quantities import OptionalCount, refusal
from simio.description.sheets.base import Sheet

TRANSFERS = {1: 25, 2: 50, 3: 80, 4: 160, 5: 320, 6: 640, 7: 1280}
"""Transfers a second of a lane by generation, in units of 100 million (PCI Express Base 1.1 to 7.0)."""
WIDTHS = (1, 2, 4, 8, 12, 16, 32)
"""Lanes that a link can have."""


class PcieDevice(Sheet):
    """A device on PCI Express, whose link trains at what both of its ends have (PCI Express Base 3.0, 4.2.4)."""

    generation: OptionalCount = Field(
        None, description="newest generation of PCI Express that it has, 1 to 7; none: that of its bus"
    )
    lanes: OptionalCount = Field(None, description="lanes of PCI Express that it has; none: those of its bus")

    @model_validator(mode="after")
    def _trains(self) -> "PcieDevice":
        check(self.generation or 1, self.lanes or 1)
        return self


def check(generation: int, lanes: int) -> None:
    """Raise a refusal for a link that there is not."""
    if generation not in TRANSFERS:
        raise refusal(str(generation), "a generation of PCI Express, 1 to 7", field="generation")
    if lanes not in WIDTHS:
        raise refusal(str(lanes), "1, 2, 4, 8, 12, 16 or 32 lanes", field="lanes")
