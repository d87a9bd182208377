"""One endpoint of a TCP connection, as functions over one state.

`settings` is what an endpoint is set up with, `layout` the words of its state. `connection` opens, closes, and takes
segments; `buffers` is the send buffer, `sending` chooses the next segment, `receiving` is order and windows of the
receiver, `acknowledging` and `loss` are what the sender does about acknowledgements and losses, `congestion` and
`recovery` its interchangeable algorithms for both, `timers` the timers and the retransmission time, `waits` counts
what a sender waits for, and `ranges` are tables of sequence numbers. No number wraps: the SYN is 0, data begin at 1.

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
