"""Sizes of the messages of NFS versions 2 (RFC 1094) and 3 (RFC 1813) over RPC (RFC 1057), in bytes.

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
class Messages:
    """Bytes of NFS's arguments and results beside the data, with the headers of RPC."""

    read: int
    read_reply: int
    write: int
    write_reply: int
    commit: int = 0
    commit_reply: int = 0

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

MESSAGES = {
    # RFC 1094, sections 2.2.7 and 2.2.9. READ: handle, offset, count, total count; status, attributes, length. WRITE:
    # handle, three words, length; status, attributes.
    2: Messages(
        CALL_HEADER + 32 + 12,
        REPLY_HEADER + 4 + _FATTR + 4,
        CALL_HEADER + 32 + 12 + 4,
        REPLY_HEADER + 4 + _FATTR,
    ),
    # RFC 1813, sections 3.3.6, 3.3.7 and 3.3.21. READ: handle, offset, count; status, attributes, count, end of file,
    # length. WRITE: handle, offset, count, how stable, length; status, wcc_data, count, how stable, verifier. COMMIT:
    # handle, offset, count; status, wcc_data, verifier.
    3: Messages(
        CALL_HEADER + _HANDLE3 + 8 + 4,
        REPLY_HEADER + 4 + _POST_OP + 4 + 4 + 4,
        CALL_HEADER + _HANDLE3 + 8 + 4 + 4 + 4,
        REPLY_HEADER + 4 + _WCC + 4 + 4 + 8,
        CALL_HEADER + _HANDLE3 + 8 + 4,
        REPLY_HEADER + 4 + _WCC + 8,
    ),
}
