"""Datasheets of file systems, and of block devices that are read and written through the cache without one."""

from typing import Self

from pydantic import Field, model_validator

from simio.description.quantities import Count, Duration, Extent, Flag, Limit, Size, Time, refusal
from simio.description.sheets.base import TIMER, Sheet, register_sheet, size_text


class CachedFileSystem(Sheet):
    """A file system above a page or buffer cache: read-ahead, write-behind, and what they cost.

    CPU times hold for the reference clock of the kernel that the file system runs in.
    """

    work = {
        **dict.fromkeys(("page_cost", "lookup_cost"), "file cache"),
        "commit_cost": "journal",
        **dict.fromkeys(("dirty_expire", "writeback_interval", "commit_interval", "time_grain"), TIMER),
    }

    block: Extent = Field(description="bytes of a block, for which there is a buffer header and an index entry")
    cluster: Extent = Field(description="largest read that one request makes when its data are not in the cache")
    read_ahead: Size = Field(
        description="bytes that sequential reading fetches at once, a window ahead of the reader; 0 B: none"
    )
    max_read_ahead: Limit = Field(
        None,
        description="most that is fetched ahead of a request longer than read_ahead, as much as it asked for; none: "
        "read_ahead whatever a request asks for",
    )
    ahead_of_arrived: Flag = Field(
        False,
        description="whether the next window is asked for only when data have come that the reader wants of the last",
    )
    write_behind: Extent = Field(description="bytes written sequentially that go to the device together")
    dirty_limit: Extent = Field(description="bytes written but not yet on the device at which writers wait")
    dirty_background: Limit = Field(
        None,
        description="dirty bytes of the host above which they are written back; none: at once, or write_behind "
        "bytes at a time",
    )
    dirty_expire: Duration = Field(
        30 * 10**12, description="time after which a file with dirty pages is written back in any case"
    )
    writeback_interval: Duration = Field(5 * 10**12, description="time between two looks for such files")
    writeback_requests: Count = Field(8, description="requests of writeback that a device is given at once")
    journal_record: Limit = Field(
        None, description="bytes that end a commit of the journal, stored behind a flush; none: there is no journal"
    )
    journal_body: Size = Field(0, description="bytes of a commit that are written and waited for before that flush")
    journal_commits: Count = Field(1, description="commits of the journal that are under way at once")
    journal_size: Extent = Field(2**30, description="bytes of the journal, in the middle of the device")
    commit_interval: Duration = Field(
        5 * 10**12, description="time after which a change of metadata is committed in any case"
    )
    commit_cost: Time = Field(0, description="CPU time of a commit of the journal")
    time_grain: Duration = Field(
        4 * 10**9, description="grain of a file's times: the writes of one grain change metadata once"
    )
    cache: Extent = Field(description="memory that the cache may fill")
    page_cost: Time = Field(
        description="CPU time to bring a page into the cache: find room, enter it, drop it again later"
    )
    lookup_cost: Time = Field(description="CPU time to find a page in the cache for a read or write call")
    index_span: Limit = Field(
        None, description="bytes of a file that one index block maps; none: extents, found without reading"
    )

    @model_validator(mode="after")
    def _windows_are_whole_blocks(self) -> Self:
        for name in ("cluster", "read_ahead", "write_behind"):
            if getattr(self, name) % self.block:
                wanted = f"a multiple of the block, {size_text(self.block)}"
                raise refusal(size_text(getattr(self, name)), wanted, field=name)
        if self.dirty_background is not None and self.dirty_background >= self.dirty_limit:
            wanted = f"less than dirty_limit, {size_text(self.dirty_limit)}"
            raise refusal(size_text(self.dirty_background), wanted, field="dirty_background")
        if self.dirty_limit < self.write_behind:
            wanted = f"at least write_behind, {size_text(self.write_behind)}"
            raise refusal(size_text(self.dirty_limit), wanted, field="dirty_limit")
        return self


register_sheet("filesystem", "cached", CachedFileSystem)
