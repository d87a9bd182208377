"""The cache of a volume on a faster device, as Linux bcache has it."""

from typing import Literal, Self

from pydantic import Field, model_validator

from simio.description.quantities import Extent, Part, Size, Time, Values, refusal
from simio.description.sheets.base import size_text

MOST_BLOCK = 2**20
"""Bytes of the largest block."""


class CacheOptions(Values):
    """A cache of blocks; with names and defaults of Linux bcache (Documentation/admin-guide/bcache.rst)."""

    room: Extent = Field(description="bytes of the fast device that the cache takes")
    mode: Literal["writeback", "writethrough", "writearound"] = Field(
        "writethrough",
        description="where writes go: to the cache, and on later; to both; past the cache (cache_mode)",
    )
    block: Extent = Field(4096, description="bytes that the cache has or has not; requests of others pass by")
    bucket: Extent = Field(512 * 1024, description="bytes that are filled in order, and emptied together")
    sequential_cutoff: Size = Field(
        4 * 2**20, description="bytes of a sequence from which on it passes by; 0: none does"
    )
    dirty_limit: Part = Field(
        0.7, description="share of buckets with dirty blocks from which on writes go through (CUTOFF_WRITEBACK_SYNC)"
    )
    dirty_target: Part = Field(
        0.1, description="share of the cache that writeback leaves dirty (writeback_percent); 0: as little as it can"
    )
    writeback_delay: Time = Field(
        30 * 10**12, description="time from the first dirty block to the beginning of writeback"
    )
    warm: Size = Field(0, description="bytes from the volume's beginning that are in the cache when the run begins")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.block > MOST_BLOCK:
            raise refusal(size_text(self.block), f"at most {size_text(MOST_BLOCK)}", field="block")
        if self.bucket % self.block:
            wanted = f"a multiple of the block, {size_text(self.block)}"
            raise refusal(size_text(self.bucket), wanted, field="bucket")
        if self.room % self.bucket or self.room < 2 * self.bucket:
            wanted = f"a multiple of the bucket, {size_text(self.bucket)}, two of them at least"
            raise refusal(size_text(self.room), wanted, field="room")
        return self
