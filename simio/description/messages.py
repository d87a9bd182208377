"""Sizes of the messages of NFS versions 2 (RFC 1094), 3 (RFC 1813), 4.0 (RFC 7530) and 4.1 (RFC 8881) over RPC
(RFC 1057), in bytes.

They are those of XDR (RFC 1014): everything in multiples of 4 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

ADDRESS = 16
"""Bytes that the sender's address takes in a receive buffer beside each datagram (4.3BSD-Reno: a sockaddr)."""
CREDENTIALS = 8 + 4 + (4 + 8) + 4 + 4 + (4 + 4)
"""Bytes of AUTH_UNIX credentials (RFC 1057, section 9.2): flavour and length; stamp; length and
name of the machine, of up to 8 letters; user; group; number of further groups, and one."""
CALL_HEADER = 24 + CREDENTIALS + 8
"""Bytes of a call before its arguments (RFC 1057, section 8): xid, CALL, version of RPC, program, version, procedure;
credentials; an empty verifier."""
REPLY_HEADER = 12 + 8 + 4
"""Bytes of a reply before its results (RFC 1057, section 8): xid, REPLY, accepted; an empty verifier; success."""


@dataclass(frozen=True)
class MessageSizes:
    """Bytes of NFS's arguments and results beside the data, with the headers of RPC."""

    read: int
    read_reply: int
    write: int
    write_reply: int
    commit: int = 0
    commit_reply: int = 0
    opening: tuple[tuple[int, int], ...] = ()
    """Call and reply of each procedure that opening a file takes, one after another."""
    closing: tuple[tuple[int, int], ...] = ()
    """The same of closing it."""

    def whole(self, kind: str, transfer: int) -> int:
        """Bytes of a message with the data of `transfer` bytes, if it has any; `kind` names one of the fields."""
        carries = kind in ("read_reply", "write")
        return int(getattr(self, kind)) + (padded(transfer) if carries else 0)


def padded(size: int) -> int:
    """Bytes of opaque data of `size` bytes, without their length (RFC 1014, section 3.9)."""
    return -(-size // 4) * 4


_FATTR = 17 * 4
"""fattr of version 2: 17 words (RFC 1094, section 2.3.5)."""
_FATTR3 = 5 * 4 + 8 * 8
"""fattr3: five words; size, used, device, file system, file and three times of 8 bytes (RFC 1813, section 2.6)."""
_HANDLE3 = 4 + 32
"""nfs_fh3: its length, and 32 bytes as most servers use them (RFC 1813, section 2.3.3, allows 64)."""
_POST_OP = 4 + _FATTR3
"""post_op_attr with attributes (RFC 1813, section 2.6)."""
_WCC = 4 + 24 + _POST_OP
"""wcc_data: size and two times from before, attributes from after (RFC 1813, section 2.6)."""

# Version 4: parts of a COMPOUND call and its reply (RFC 7530, sections 15.2 and 16; RFC 8881, 16.2 and 18).
# An operation has a word with its number, and its result another with its status.
_COMPOUND = 3 * 4, 3 * 4
"""Tag without letters, minor version, number of operations; status, tag, number of results."""
_SEQUENCE = 4 + 16 + 4 * 4, 8 + 16 + 5 * 4
"""Session, sequence, slot, highest slot, whether it is cached; the same with the target and flags."""
_PUTFH = 4 + _HANDLE3, 8
_GETFH = 4, 8 + _HANDLE3
_GETATTR = 4 + 3 * 4, 8 + 3 * 4 + 4 + _FATTR3
"""A bitmap of two words; the bitmap, and attributes that take about as much as those of version 3."""
_ACCESS = 4 + 4, 8 + 2 * 4
_READ4 = 4 + 16 + 8 + 4, 8 + 4 + 4
"""State, offset, count; end of file, length."""
_WRITE4 = 4 + 16 + 8 + 4 + 4, 8 + 4 + 4 + 8
"""State, offset, how stable, length; count, how stable, verifier."""
_COMMIT4 = 4 + 8 + 4, 8 + 8
_OPEN4 = 4 + 3 * 4 + (8 + 4 + 28) + 4 + 4 + (4 + 16), 8 + 16 + (4 + 2 * 8) + 4 + 3 * 4 + 4
"""Sequence, access and deny; owner of 28 bytes; how; claim and a name of 16; state, change, flags, no delegation."""
_CLOSE4 = 4 + 4 + 16, 8 + 16


def _compound(*operations: tuple[int, int]) -> tuple[int, int]:
    """Bytes of a call of these operations, and of its reply."""
    call, reply = (sum(part) for part in zip(_COMPOUND, *operations, strict=True))
    return CALL_HEADER + call, REPLY_HEADER + reply


def _version4(*first: tuple[int, int]) -> MessageSizes:
    """Messages of a minor version whose compounds begin with these operations, as Linux makes them (nfs4xdr.c)."""
    return MessageSizes(
        *_compound(*first, _PUTFH, _READ4),
        *_compound(*first, _PUTFH, _WRITE4, _GETATTR),
        *_compound(*first, _PUTFH, _COMMIT4),
        (_compound(*first, _PUTFH, _OPEN4, _GETFH, _ACCESS, _GETATTR),),
        (_compound(*first, _PUTFH, _CLOSE4),),
    )


SESSIONS = 41
"""The number here of version 4.1, and of 4.2, whose calls have the slots of a session."""
MESSAGES = {
    # RFC 1094, sections 2.2.7 and 2.2.9. READ: handle, offset, count, total count; status, attributes, length. WRITE:
    # handle, three words, length; status, attributes.
    2: MessageSizes(
        CALL_HEADER + 32 + 12,
        REPLY_HEADER + 4 + _FATTR + 4,
        CALL_HEADER + 32 + 12 + 4,
        REPLY_HEADER + 4 + _FATTR,
    ),
    # RFC 1813, sections 3.3.6, 3.3.7 and 3.3.21. READ: handle, offset, count; status, attributes, count, end of file,
    # length. WRITE: handle, offset, count, how stable, length; status, wcc_data, count, how stable, verifier. COMMIT:
    # handle, offset, count; status, wcc_data, verifier.
    3: MessageSizes(
        CALL_HEADER + _HANDLE3 + 8 + 4,
        REPLY_HEADER + 4 + _POST_OP + 4 + 4 + 4,
        CALL_HEADER + _HANDLE3 + 8 + 4 + 4 + 4,
        REPLY_HEADER + 4 + _WCC + 4 + 4 + 8,
        CALL_HEADER + _HANDLE3 + 8 + 4,
        REPLY_HEADER + 4 + _WCC + 8,
        # GETATTR (section 3.3.1), by which a client sees whether its cache holds (close-to-open).
        ((CALL_HEADER + _HANDLE3, REPLY_HEADER + 4 + _FATTR3),),
    ),
    4: _version4(),
    SESSIONS: _version4(_SEQUENCE),
}
