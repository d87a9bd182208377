"""io_uring: entries in shared rings; a system call submits, and done requests are read from the ring without one."""

from simio.components.block.interfaces.interface import RequestInterface, Way, register_interface


class IoUring(RequestInterface):
    """Interrupts complete requests; a system call a request, and one more to sleep."""

    name = "io_uring"

    def cost(self, way: Way) -> int:
        """The program, io_uring_enter(), and everything down to the drive."""
        return way.program + way.call + way.sheet.uring_cost + way.pinned + way.block

    def sleep(self, way: Way) -> int:
        """io_uring_enter() to wait for a completion."""
        return way.sheet.system_call


class Polled(IoUring):
    """IORING_SETUP_IOPOLL: the process polls the drive's completion queue in the kernel, and takes no interrupts."""

    name = "io_uring-iopoll"
    polls = True
    interrupts = False

    def cost(self, way: Way) -> int:
        """Cost by interrupt and that of the request's end; a worker may dispatch a scheduler's request."""
        handed = way.sheet.worker_dispatch if way.scheduler and way.sheet.dispatch == "worker" else 0
        return super().cost(way) + way.sheet.poll_end + handed

    def look(self, way: Way) -> int:
        """io_uring_enter() to poll."""
        return way.sheet.system_call


class SubmissionThread(RequestInterface):
    """IORING_SETUP_SQPOLL: a kernel thread on a core of its own submits the requests in the ring."""

    name = "io_uring-sqpoll"
    polls = True
    helper = True

    def cost(self, way: Way) -> int:
        """The program: entries are written to and read from rings."""
        return way.program

    def submits(self, way: Way) -> int:
        """All of the kernel's way but the system call."""
        return way.sheet.uring_cost + way.pinned + way.block


register_interface(IoUring())
register_interface(Polled())
register_interface(SubmissionThread())
