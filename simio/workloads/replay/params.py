"""Parameters of a replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

import simio.formats.traces  # noqa: F401 (registers the formats)
from simio.description.quantities import (
    Count,
    Horizon,
    Limit,
    Name,
    OptionalCount,
    OptionalTime,
    Quantity,
    Size,
    Text,
    Time,
    refusal,
)
from simio.description.workloads import HostName, OptionalStorage, Refers, WorkloadParams
from simio.formats.traces.columns import Columns
from simio.formats.traces.files import Choice, TraceFile
from simio.formats.traces.lines import ColumnsFormat
from simio.formats.traces.trace import FORMATS, TraceFormat
from simio.reading import check_readable, note_file
from simio.sketch import Sketch
from simio.workloads.replay.addresses import Fit
from simio.workloads.replay.rows import Mode

RESPONSE = "response"
"""Owner of the observation of a request's time."""
OTHERS = "others"
"""Key of a mapping of devices for those that it does not name."""
LEFT_OUT = "none"
"""Target of devices whose requests are left out."""
Speed = Annotated[Fraction, Quantity("share", positive=True)]
"""A share above zero, which may be more than one."""


class _Formats:
    """The names of formats, and none."""

    def __iter__(self) -> Iterator[str | None]:
        yield from FORMATS
        yield None


def _texts(value: object) -> object:
    """Keys of a mapping as texts: YAML reads the names of many devices as numbers."""
    if isinstance(value, Mapping):
        return {str(key): LEFT_OUT if target is None else target for key, target in value.items()}
    return value


def _named(value: object) -> object:
    """A format, by its name."""
    if isinstance(value, Mapping):
        raise refusal("a mapping", "the name of a format", "columns of your own stand under 'columns', not 'format'")
    return value


class Replay(WorkloadParams):
    """The requests of a trace file, made again on disks or volumes past the cache."""

    routes = (("host", "storage"), ("host", "devices"))

    host: HostName = Field(description="host that makes the requests")
    storage: OptionalStorage = Field(
        None, description="disk or volume that has the addresses of the trace, or a group with a disk for each device"
    )
    devices: Annotated[dict[str, Text], BeforeValidator(_texts), Refers("storage")] = Field(
        {}, description="in place of storage: devices of the trace, each with a disk or volume"
    )
    trace: Text = Field(
        description="trace, beside the file that names it or of a ready scenario; may end in .gz, .bz2, .xz"
    )
    format: Annotated[str | None, Name(_Formats()), BeforeValidator(_named)] = Field(
        None, description="format of the trace, see below; or columns"
    )
    columns: Columns | None = Field(None, description="in place of a format: the columns of the trace")
    ignore: tuple[Text, ...] = Field((), description="kinds of lines that are left out, such as trim or flush")
    mode: Mode = Field(
        "closed",
        description=(
            "closed: one request at a time, after the recorded pause; recorded: each at its recorded time, however "
            "many are outstanding"
        ),
    )
    depth: Count = Field(1, description="closed: most requests outstanding")
    speed: Speed = Field(
        Fraction(1),
        description="speed of the trace's clock: at 200 % times between requests are half of those recorded",
    )
    start: Time = Field(0, description="simulated time at which the trace begins")
    first: Count = Field(1, description="number of the first request that is replayed")
    last: OptionalCount = Field(None, description="number of the last one; none: to the end")
    since: OptionalTime = Field(None, description="time in the trace from which requests are replayed")
    until: Horizon = Field(None, description="time in the trace up to which requests are replayed")
    disorder: Time = Field(
        0, description="how much earlier a request may be than the one before it; both then count as simultaneous"
    )
    align: Limit = Field(None, description="widen each request to whole blocks of this size")
    fit: Fit = Field(
        "exact",
        description=("exact: addresses as recorded; wrap: modulo the capacity; scale: in proportion to the capacity"),
    )
    shift: Size = Field(0, description="is added to each address, after fitting")
    extent: Limit = Field(None, description="fit scale: size of the traced device; none: up to the last byte used")
    _trace: TraceFile | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _is_consistent(self) -> Replay:
        if (self.storage is None) == (not self.devices):
            raise refusal(
                "both storage and devices" if self.storage else "nothing", "storage, or else devices", field="storage"
            )
        if (self.format is None) == (self.columns is None):
            raise refusal(
                "both format and columns" if self.format else "nothing", "format, or else columns", field="format"
            )
        form = self.form
        if self.mode == "closed" and not form.pauses:
            raise refusal("closed", "recorded", f"{self._format} has arrivals and no pauses", "mode")
        if self.mode == "recorded" and not form.arrivals:
            raise refusal("recorded", "closed", f"{self._format} has no times of requests", "mode")
        if self.mode == "recorded" and self.depth > 1:
            raise refusal(str(self.depth), "1", "only mode closed limits requests outstanding", "depth")
        self._check_ranges(form)
        return self

    def _check_ranges(self, form: TraceFormat) -> None:
        if not form.arrivals and (self.since is not None or self.until is not None):
            raise refusal("a time", "none", f"{self._format} has no times of requests; use first and last", "since")
        if self.last is not None and self.last < self.first:
            raise refusal(str(self.last), f"first ({self.first}) or more", field="last")
        if self.until is not None and self.since is not None and self.until <= self.since:
            raise refusal("a time before since", "a later time", field="until")
        if self.extent is not None and self.fit != "scale":
            raise refusal(f"an extent with fit {self.fit}", "none", "only scale takes one", "extent")

    @property
    def _format(self) -> str:
        return f"format {self.format}" if self.format else "a trace of these columns"

    @property
    def form(self) -> TraceFormat:
        """The format of the trace."""
        return FORMATS[self.format] if self.format else ColumnsFormat(self.columns)  # type: ignore[arg-type]

    def with_files(self, find: Callable[[str], Path]) -> Self:
        """See `WorkloadParams.with_files`."""
        path = find(self.trace)
        check_readable(path, "trace file")
        choice = Choice(self.first, self.last, self.since, self.until, self.align, self.disorder, self.ignore)
        trace = TraceFile(str(path), self.form, choice)
        note_file(str(path), trace.summary.digest)
        filled = self.model_copy()
        filled._trace = trace
        return filled

    @property
    def whole(self) -> bool:
        """True if the whole trace is replayed."""
        return (self.first, self.last, self.since, self.until) == (1, None, None, None)

    @property
    def file(self) -> TraceFile:
        """The trace, once it has been read."""
        assert self._trace is not None
        return self._trace

    @property
    def measured_times(self) -> Mapping[str, Sketch]:
        """See `WorkloadParams.measured_times`."""
        responses = self._trace.summary.responses if self._trace else None
        return {RESPONSE: responses} if responses and responses.count else {}

    def named(self, field: str) -> tuple[str, ...]:
        """See `WorkloadParams.named`."""
        if field == "devices":
            return tuple(dict.fromkeys(target for target in self.devices.values() if target != LEFT_OUT))
        return super().named(field)
