"""One endpoint of a TCP connection, as functions over one state.

Where it is: `settings` what an endpoint is told, `layout` the state, `dispatch` the calls, `connection` opening,
closing and what arrives, `buffers` the send buffer, `sending` which segment goes next, `receiving` order and windows,
`acknowledging` what acknowledgements do, `recovery` losses, `sacked` selective acknowledgements, `timers` timers and
the retransmission time, `ranges` tables of sequence numbers. Sequence numbers do not wrap: the SYN is 0, data begin
at 1.

A segment is up to five words: seq << 19 | flags << 16 | length; ack << 16 | window (ack 0: none, in a first SYN);
timestamp << 31 | echo; two words of (start - ack) << 31 | length for blocks of selective acknowledgement.
"""

from simio.machines.tcp.settings import (
    HAND_OVER_BUFFER,
    HAND_OVER_WRITE,
    NAGLE_IDLE,
    NAGLE_SMALL,
    TcpSettings,
    initial,
)

__all__ = [
    "HAND_OVER_BUFFER",
    "HAND_OVER_WRITE",
    "NAGLE_IDLE",
    "NAGLE_SMALL",
    "TcpSettings",
    "initial",
]
