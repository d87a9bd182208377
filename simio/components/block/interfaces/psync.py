"""pread() and pwrite(): one request outstanding, and the process sleeps until it is done."""

from simio.components.block.interfaces.interface import RequestInterface, Way, register_interface


class Psync(RequestInterface):
    """One system call a request."""

    name = "psync"
    deepest = 1

    def cost(self, way: Way) -> int:
        """The program, the call, and everything down to the drive."""
        return way.program + way.sheet.system_call + way.sheet.psync_cost + way.pinned + way.block


register_interface(Psync())
