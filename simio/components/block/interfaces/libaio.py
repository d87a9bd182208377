"""Linux native AIO: io_submit() for each request, io_getevents() for those that are done."""

from simio.components.block.interfaces.interface import RequestInterface, Way, register_interface


class Libaio(RequestInterface):
    """A system call a request, and one a look at the completion ring."""

    name = "libaio"

    def cost(self, way: Way) -> int:
        """The program, io_submit(), and everything down to the drive."""
        return way.program + way.call + way.sheet.libaio_cost + way.pinned + way.block

    def look(self, way: Way) -> int:
        """io_getevents()."""
        return way.sheet.system_call


register_interface(Libaio())
