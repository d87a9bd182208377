"""The mechanism, buffer and command queue of a disk drive, as functions over one state.

What a drive does is in docs/models/disk.md. Where it is: `layout` the state, `geometry` sectors, rotation and seeks,
`buffer` segments and read-ahead, `queue` the commands it holds, `scheduling` which is next, `arm` who has it,
`reading`, `writing` and `destaging` a command in service. State carries over from request to request; nothing is
computed between requests but what they need to know.
"""

from simio.machines.disk.layout import WORDS
from simio.machines.disk.state import initial

__all__ = ["WORDS", "initial"]
