"""ping: one ICMP echo after another, a period apart."""

from __future__ import annotations

from pydantic import Field

from simio.components.network.icmp import ICMP_HEADER, Echo
from simio.components.network.stack import IP_HEADER
from simio.components.site import Site
from simio.description.model import Workload
from simio.description.quantities import Count, Duration, Extent
from simio.errors import RunError
from simio.program.builder import maximum, since
from simio.program.roles import PERIOD_PAUSE
from simio.workloads import register_workload
from simio.workloads.common.sockets import NetworkParams


class Ping(NetworkParams):
    """ICMP echo, one a period, answered by the other host's kernel."""

    size: Extent = Field(56, description="bytes of data in an echo request")
    count: Count = Field(description="requests")
    period: Duration = Field(10**12, description="time between requests; a reply that takes longer counts as lost")


@register_workload("ping", Ping)
def ping(site: Site, workload: Workload[Ping]) -> None:
    """`count` requests with `size` bytes of data, the first at once, the next `period` after the last was sent.

    One whose reply has not come by then is lost, and counts nowhere but among the lost.
    Raises RunError for a request that does not fit the path.
    """
    p, params, name = site.p, workload.params, workload.name
    hosts = params.from_, params.to
    stacks = site.sockets.stack(hosts[0]), site.sockets.stack(hosts[1])
    paths = site.network.path(*hosts), site.network.path(*reversed(hosts))
    whole, mtu = params.size + ICMP_HEADER + IP_HEADER, min(path.mtu for path in paths)
    if whole > mtu:
        raise RunError(
            f"workload {name!r}: an echo request of {whole} bytes does not fit the path's {mtu} bytes, and ping does "
            "not fragment"
        )
    echo = Echo(name, stacks, paths, params.size, params.period)
    trip = p.observation(f"{name}: round trip", "latency", "ps")
    lost = p.observation(f"{name}: lost", "other", "bytes")
    with p.thread(f"{name} on {hosts[0]}"), p.loop(params.count):
        begun = p.now()
        echo.ask()
        took = p.register(since(begun))
        with p.when(took > params.period):
            p.mark(lost, params.size)
        with p.when(took <= params.period):
            p.mark(trip, took)
            p.mark(site.delivered, params.size)
        p.rest(maximum(params.period - took, 0), PERIOD_PAUSE)
