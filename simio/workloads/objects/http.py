"""Messages of HTTP/1.1 (RFC 9112) over a connection, in records of TLS 1.3 (RFC 8446) or as they are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from simio.components.host.host import PROCESS
from simio.components.network.stack import Stack
from simio.components.network.tcp import Endpoint
from simio.program.builder import Register, minimum
from simio.program.service import per_byte

RECORD = 1 << 14
"""Bytes of data of a full record (RFC 8446, section 5.1)."""
RECORD_OVERHEAD = 5 + 1 + 16
"""Header, type of the content, and tag of AES-GCM a record (RFC 8446, sections 5.1 and 5.2; RFC 5116)."""


class HttpMessages:
    """Work of a program at one end to send and receive bytes of messages."""

    def __init__(self, stack: Stack, cipher: Fraction | None, buffer: int) -> None:
        """`cipher` is the rate of a core at AES-GCM, None without TLS; `buffer` the bytes of a call at most."""
        self.stack, self.p, self.buffer = stack, stack.p, buffer
        self.byte = per_byte(cipher) if cipher else None

    def size(self, amount: Any) -> Any:
        """Bytes on the connection of `amount` bytes of data that are sent at once."""
        return amount if self.byte is None else amount + (amount + (RECORD - 1)) // RECORD * RECORD_OVERHEAD

    def _crypt(self, amount: Register) -> None:
        if self.byte is not None:
            with self.p.label("encryption", self.stack.name):
                self.stack.host.work_on(0, amount, self.byte, PROCESS)

    def send(self, end: Endpoint, amount: Register) -> None:
        """Send bytes that are one piece, at most `buffer`."""
        self._crypt(amount)
        end.write(self.size(amount))

    def receive(self, end: Endpoint, amount: Any, first: Callable[[], None] | None = None) -> None:
        """Receive a piece sent as `amount` bytes; `first` is emitted when the first have come."""
        p = self.p
        with p.scope():
            left, got, most, came = p.register(self.size(amount)), p.register(), p.register(), p.register(0)
            with p.until(left == 0):
                most.set(minimum(left, self.buffer))
                end.read(got, most)
                left.set(left - got)
                self._crypt(got)
                if first:
                    with p.when(came == 0):
                        first()
                        came.set(1)

    def pieces(self, amount: Register, each: Callable[[Register, Register], None]) -> None:
        """Emit `each` for the pieces of at most `buffer` of `amount` bytes: offset, and bytes."""
        p = self.p
        with p.scope():
            offset, piece = p.register(0), p.register()
            with p.while_(offset < amount):
                piece.set(minimum(amount - offset, self.buffer))
                each(offset, piece)
                offset.set(offset + piece)
