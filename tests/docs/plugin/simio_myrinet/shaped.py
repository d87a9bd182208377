"""A sender that is shaped by a token bucket: a machine of the plug-in's own, on either engine."""

from numpy.typing import NDArray
from pydantic import Field

from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Count, Time
from simio.machines.door import machine
from simio.machines.layout import Layout
from simio.workloads import register_workload

from .frames import Frames, run

BUCKET = Layout("token bucket")
PERIOD = BUCKET.word("period", "ps", about="time in which a frame is earned")
SLACK = BUCKET.word("slack", "ps", about="how long before its time a frame may leave: what a full bucket is worth")
DUE = BUCKET.word("due", "ps", about="time of the next frame")


@machine("myrinet")
def leave(state: NDArray, base: int, now: int) -> int:
    """A frame wants to leave: how long it waits, in ps (virtual scheduling, ITU-T I.371, annex A)."""
    wait = max(state[base + DUE] - state[base + SLACK] - now, 0)
    state[base + DUE] = max(state[base + DUE], now + wait) + state[base + PERIOD]
    return wait


class Shaped(Frames):
    """The same, but a token bucket says when each frame may go."""

    period: Time = Field(description="time from frame to frame, in the long run")
    burst: Count = Field(description="frames that may go without a pause after a long one")


@register_workload("shaped", Shaped)
def shaped(site: Site, workload: Workload[Shaped]) -> None:
    """Each frame waits for what the bucket says."""
    p, params = site.p, workload.params
    slack = (params.burst - 1) * params.period
    bucket = p.machine(f"{workload.name}: bucket", BUCKET.initial(period=params.period, slack=slack))

    def wait() -> None:
        with p.scope():
            time = p.answer(leave, bucket)
            p.advance(0, time, 1)

    run(site, workload, before=wait)
