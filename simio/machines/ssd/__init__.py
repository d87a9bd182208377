"""The flash translation and the flash of a solid-state drive, as functions over one state.

What a drive does is in docs/ssd.md. Where it is: `layout` the state, `flash` planes, dies and channels in time,
`mapping` where sectors are, `reading` commands that read, `writing` the buffer and the units that are programmed,
`collecting` garbage and the state before the first write.
"""

from simio.machines.ssd.layout import TABLES, WORDS
from simio.machines.ssd.state import initial, tables

__all__ = ["TABLES", "WORDS", "initial", "tables"]
