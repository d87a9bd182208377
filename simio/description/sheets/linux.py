"""Datasheets of Linux kernels with the multi-queue block layer."""

from typing import Literal

from pydantic import Field

from simio.description.quantities import OptionalCount, Text, Time, Whole
from simio.description.sheets.base import TIMER, register_sheet
from simio.description.sheets.kernels import UnixKernelSheet

_BLOCK = "block layer"
_SCHEDULER = "I/O schedulers"


class LinuxKernelSheet(UnixKernelSheet):
    """Linux with blk-mq: a hardware queue for each core, interfaces and schedulers at their costs."""

    work = {
        **UnixKernelSheet.work,
        **dict.fromkeys(("psync_cost", "libaio_cost", "uring_cost"), "system calls"),
        **dict.fromkeys(("request_end", "poll_end", "page_map"), _BLOCK),
        "file_lookup": "system calls",
        **dict.fromkeys(("wake", "switch_growth"), "process switches"),
        "worker_dispatch": _SCHEDULER,
        "time_slice": TIMER,
        **dict.fromkeys(("kyber_cost", "mq_deadline_cost", "mq_deadline_held", "bfq_cost", "bfq_held"), _SCHEDULER),
        **dict.fromkeys(("user_driver", "user_layer", "user_page", "user_doorbell"), "user-space driver"),
    }

    scheduler: Text = Field("none", description="I/O scheduler of the host's drives")
    nr_requests: OptionalCount = Field(
        None,
        description="requests that a hardware queue of a drive holds, of all processes on its core; none: as many as "
        "the queue is deep, and with a scheduler at most 256 (block/blk-mq-sched.c: twice BLKDEV_DEFAULT_RQ)",
    )
    psync_cost: Time = Field(description="CPU time of pread() or pwrite() above the block layer, a request")
    libaio_cost: Time = Field(
        description="CPU time of io_submit() and io_getevents() above the block layer, a request, without the calls"
    )
    uring_cost: Time = Field(
        description="CPU time of io_uring above the block layer, a request: entry, context, completion entry"
    )
    file_lookup: Time = Field(description="CPU time to find and release the open file, which registered files save")
    page_map: Time = Field(
        0,
        description="CPU time for each page of a request behind its first, to map it for DMA and unmap it",
    )
    request_end: Time = Field(
        description="CPU time to end a request in the interrupt: in driver, block layer and interface"
    )
    poll_end: Time = Field(
        description="the same where the caller polls for completions, with its share of the polling"
    )
    wake: Time = Field(description="CPU time to make a sleeping process ready, in the interrupt")
    switch_growth: Time = Field(
        description="CPU time by which a process switch takes longer each time the processes on a core double, "
        "as less of each is left in the caches"
    )
    time_slice: Time = Field(
        3 * 10**9, description="time for which a process that never sleeps keeps a core that others want as well"
    )
    dispatch: Literal["caller", "worker"] = Field(
        "worker",
        description="dispatcher of polled requests after a scheduler: the submitting process, or a kernel worker "
        "on its core",
    )
    worker_dispatch: Time = Field(
        description="CPU time to hand a request over to a kernel worker and switch there and back"
    )
    kyber_cost: Time = Field(description="CPU time of kyber a request; its locks are those of a hardware queue")
    mq_deadline_cost: Time = Field(description="CPU time of mq-deadline a request outside of its lock")
    mq_deadline_held: Time = Field(description="time that a request has the lock of the drive's mq-deadline in all")
    mq_deadline_lines: Whole = Field(
        description="cache lines that move with that lock to another core, in all its turns for a request"
    )
    bfq_cost: Time = Field(description="CPU time of bfq a request outside of its lock")
    bfq_held: Time = Field(description="time that a request has the lock of the drive's bfq in all")
    bfq_lines: Whole = Field(description="cache lines that move with that lock, as with mq_deadline_lines")
    user_layer: Time = Field(
        0, description="CPU time of a layer between the program and that driver a request, such as the plugin of fio"
    )
    user_driver: Time = Field(
        description="CPU time of a polled driver in user space a request, to submit and complete"
    )
    user_page: Time = Field(
        0, description="CPU time of that driver for the address of each page of a request behind the first"
    )
    user_doorbell: Time = Field(
        description="CPU time of a posted write to a doorbell of the drive from a driver in user space"
    )


register_sheet("kernel", "linux", LinuxKernelSheet)
