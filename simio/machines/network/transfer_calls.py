"""The machine functions of datagrams, remote procedure calls and frames by number, from 64 to 79."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.network import mailbox, reassembly, rpc, spacing, writeback
from simio.machines.shared import shared

IP_IDENT = 64
IP_REASSEMBLE = 65
MAILBOX_ARRIVE = 66
MAILBOX_LENGTH = 67
MAILBOX_TAKE = 68
RPC_CALL = 69
RPC_REPLY = 70
RPC_OUTSTANDING = 71
IN_ORDER = 72
GRANT = 73
RESTORE = 74
WRITE_NEXT = 75
WRITE_ANSWERED = 76
WRITE_COUNTED = 77
WRITE_LEFT = 78
FRAME_BEGIN = 79

NAMES = {
    IP_IDENT: "ip.ident",
    IP_REASSEMBLE: "ip.reassemble",
    MAILBOX_ARRIVE: "mailbox.arrive",
    MAILBOX_LENGTH: "mailbox.length",
    MAILBOX_TAKE: "mailbox.take",
    RPC_CALL: "rpc.call",
    RPC_REPLY: "rpc.reply",
    RPC_OUTSTANDING: "rpc.outstanding",
    IN_ORDER: "in_order",
    GRANT: "grant",
    RESTORE: "restore",
    WRITE_NEXT: "write.next",
    WRITE_ANSWERED: "write.answered",
    WRITE_COUNTED: "write.counted",
    WRITE_LEFT: "write.left",
    FRAME_BEGIN: "frame.begin",
}

_ident = reassembly.ident
_reassemble = reassembly.reassemble
_mail_arrive = mailbox.arrive
_mail_length = mailbox.length
_mail_take = mailbox.take
_rpc_call = rpc.call
_rpc_reply = rpc.reply
_rpc_outstanding = rpc.outstanding
_in_order = rpc.arrived
_grant = rpc.grant
_restore = rpc.restore
_write_next = writeback.following
_write_answered = writeback.answered
_write_counted = writeback.counted
_write_left = writeback.left
_frame_begin = spacing.begin


@shared
def transfer(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of a machine function of datagrams, calls and frames; negative if the machine refuses."""
    if function == 79:
        return _frame_begin(state, base, now, a)
    if function == 64:
        return _ident(state, base)
    if function == 65:
        return _reassemble(state, base, now, a, b)
    if function == 66:
        return _mail_arrive(state, base, a, b)
    if function == 67:
        return _mail_length(state, base)
    if function == 68:
        return _mail_take(state, base)
    if function == 69:
        return _rpc_call(state, base, a)
    if function == 70:
        return _rpc_reply(state, base, a)
    if function == 71:
        return _rpc_outstanding(state, base, a)
    if function == 72:
        return _in_order(state, base, a)
    if function == 73:
        return _grant(state, base)
    if function == 74:
        return _restore(state, base)
    if function == 75:
        return _write_next(state, base)
    if function == 76:
        return _write_answered(state, base, a, b)
    if function == 77:
        return _write_counted(state, base, a)
    if function == 78:
        return _write_left(state, base)
    return -1
