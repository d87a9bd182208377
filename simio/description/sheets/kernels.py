"""Datasheets of kernels: the costs of their services."""

from pydantic import Field

from simio.description.quantities import Duration, Extent, Flag, Frequency, Limit, Share, Time, Whole
from simio.description.sheets.base import TIMER, Sheet, register_sheet


class UnixKernelSheet(Sheet):
    """A Unix kernel: the CPU time of its services."""

    work = {
        "reference_clock": TIMER,
        "system_call": "system calls",
        "context_switch": "process switches",
        "interrupt": "interrupts",
        "page_pin": "page pinning",
        "block_request": "block layer",
        "buffer_cost": "block layer",
        "buffer_end": "block layer",
        "reclaim_cost": "page daemon",
        "page_fault": "page faults",
        "map_call": "page faults",
    }

    page: Extent = Field(description="size of a page of virtual memory")
    reference_clock: Frequency = Field(
        description="clock of the CPU that the costs below hold for; on another CPU they scale with its clock"
    )
    system_call: Time = Field(description="CPU time to enter and leave the kernel")
    memory_share: Share = Field(
        None,
        description="share of the CPU time of the kernel's services in which the CPU waits for memory and keeps its "
        "bus busy; none: nothing",
    )
    context_switch: Time = Field(description="CPU time to switch to another process")
    interrupt: Time = Field(description="CPU time to take an interrupt and return")
    page_pin: Time = Field(description="CPU time to pin and unpin one page of a user's buffer")
    block_request: Time = Field(description="CPU time of the block layer a request")
    buffer_cost: Time = Field(description="CPU time of a buffer header in the caller: allocate, submit or merge")
    buffer_end: Time = Field(
        0,
        description="CPU time to end a buffer header, in the interrupt that ends its request; 0 s: in buffer_cost",
    )
    max_request: Limit = Field(None, description="largest request the block layer hands to a driver; none: any")
    raw_chunk: Limit = Field(
        None, description="largest piece of a raw request submitted and waited for at once; none: whole"
    )
    raw_buffer: Limit = Field(None, description="bytes a buffer header of raw I/O; none: one header a piece")
    direct_chunk: Limit = Field(None, description="as raw_chunk, for O_DIRECT on a file or block device")
    direct_buffer: Limit = Field(None, description="as raw_buffer, for O_DIRECT on a file or block device")
    bounce: Flag = Field(
        False,
        description="whether the driver cannot reach the program's pages, so that the kernel copies reads and writes "
        "past the cache once more",
    )
    reclaim_cost: Time = Field(
        0,
        description="CPU time of the page daemon to free a page of the cache; 0 s: page_cost of file systems has it",
    )
    free_memory: Extent = Field(
        2 * 2**20,
        description="memory that the page daemon keeps free; processes wait for it while none is left",
    )
    page_fault: Time = Field(
        description="CPU time of a fault on a mapped page, beside bringing the page into the cache"
    )
    map_call: Time = Field(
        description="CPU time to map a range of a file, and again to unmap it, with the address space locked"
    )
    fault_cluster: Extent = Field(description="bytes read from the device around a page that faults")
    command_timeout: Duration = Field(
        60 * 10**12, description="after which the disk driver aborts a command whose way was down"
    )
    command_retries: Whole = Field(5, description="times that the disk driver sends such a command again")


register_sheet("kernel", "unix", UnixKernelSheet)
