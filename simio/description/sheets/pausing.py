"""Values of receivers that stop their links, or classes of traffic on them (IEEE 802.3 annex 31B, 802.1Qbb)."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from simio.description.quantities import Limit, TrafficClass, refusal, word_of_none
from simio.description.sheets.base import Sheet, size_text


def _listed(value: object) -> object:
    value = word_of_none(value)
    return () if value is None else (value,) if isinstance(value, int) else value


_List = Annotated[tuple[TrafficClass, ...], Field(max_length=8)]
Classes = Annotated[_List, BeforeValidator(_listed, json_schema_input_type=_List | TrafficClass | Literal["none"])]
"""Classes of traffic; a number is one of them, and `none` says that there are none."""


class PauseSheet(Sheet):
    """A receiver of packets that can stop the far ends of its links before its memory is full.

    `memory_key` names the value that is its memory.
    """

    memory_key: ClassVar[str] = "receive_buffer"

    pause_above: Limit = Field(
        None,
        description="with more packets of a link in its memory it stops that link by pause frames, or each of "
        "pause_classes with more of that class; none: never",
    )
    resume_at: Limit = Field(
        None, description="level at which it starts again what it has stopped; none: half of pause_above"
    )
    pause_classes: Classes = Field(
        (),
        description="lossless classes of traffic, each of which it stops by itself (priority flow control); none: "
        "the whole link",
    )
    pause_buffer: Limit = Field(
        None,
        description="part of its memory for each of pause_classes from one link; what it has beyond pause_above is "
        "headroom for packets under way. Other classes share the rest",
    )

    @property
    def inputs(self) -> int:
        """The links, each of which has memory for its lossless classes."""
        return 1

    @property
    def memory(self) -> int:
        """All its memory for packets that have come, in bytes."""
        size: int = getattr(self, self.memory_key)
        return size

    @property
    def class_memory(self) -> int:
        """Bytes of it that each of `pause_classes` has for one link."""
        return self.pause_buffer or 0

    @property
    def lossy_memory(self) -> int:
        """Bytes of it that lossless classes leave to all others."""
        return self.memory - self.inputs * len(self.pause_classes) * self.class_memory

    @property
    def least_memory(self) -> int:
        """The memory of the class that has least, in bytes."""
        return min(self.lossy_memory, self.class_memory) if self.pause_classes else self.memory

    @property
    def resumes(self) -> int:
        """The level at which what is stopped starts again, in bytes."""
        return self.resume_at or (self.pause_above or 0) // 2

    @model_validator(mode="after")
    def _pauses_before_it_is_full(self) -> Self:
        above, memory = self.pause_above, self.memory
        if above and above >= memory:
            limit = f"less than the {self.memory_key.replace('_', ' ')}, {size_text(memory)}"
            raise refusal(size_text(above), limit, field="pause_above")
        if self.resume_at and self.resume_at >= (above or 0):
            limit = f"less than pause_above, {size_text(above)}" if above else "none, as pause_above is none"
            raise refusal(size_text(self.resume_at), limit, field="resume_at")
        return self

    @model_validator(mode="after")
    def _classes_have_their_memory(self) -> Self:
        classes, above, own = self.pause_classes, self.pause_above, self.pause_buffer
        if not classes:
            return self
        if len(set(classes)) < len(classes):
            raise refusal(str(list(classes)), "each class once", field="pause_classes")
        if not above:
            raise refusal("none", "the level at which each of pause_classes stops", field="pause_above")
        if not own or own <= above:
            limit = f"more than pause_above, {size_text(above)}; the rest is headroom for packets under way"
            raise refusal(size_text(own) if own else "none", limit, field="pause_buffer")
        if self.lossy_memory <= 0:
            parts = self.inputs * len(classes)
            share, memory = size_text(self.memory // parts), size_text(self.memory)
            limit = f"less than {share}, as {self.memory_key}, {memory}, has {parts} such parts, one a link and class"
            raise refusal(size_text(own), limit, field="pause_buffer")
        return self
