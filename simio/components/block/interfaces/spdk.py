"""A driver in user space (SPDK): the program writes submission entries and doorbells itself, and polls."""

from simio.components.block.interfaces.interface import RequestInterface, Way, register_interface


class UserDriver(RequestInterface):
    """Neither kernel nor interrupt; the doorbells of a look serve all that it completes and submits."""

    name = "spdk"
    polls = True
    interrupts = False
    kernel = False

    def cost(self, way: Way) -> int:
        """The program and the driver, which translates the address of each page."""
        return way.program + way.sheet.user_layer + way.sheet.user_driver + way.further(way.sheet.user_page)

    def look(self, way: Way) -> int:
        """The doorbells of submission and completion queue."""
        return 2 * way.sheet.user_doorbell


class EachDoorbell(UserDriver):
    """The same with a doorbell for each request that is submitted."""

    name = "spdk-doorbells"

    def cost(self, way: Way) -> int:
        """The program, the driver and a doorbell."""
        return super().cost(way) + way.sheet.user_doorbell

    def look(self, way: Way) -> int:
        """The doorbell of the completion queue."""
        return way.sheet.user_doorbell


register_interface(UserDriver())
register_interface(EachDoorbell())
