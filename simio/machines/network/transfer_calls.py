"""Names of machine functions by which older code calls them."""

from __future__ import annotations

from simio.machines.network import mailbox, reassembly, rpc, spacing, writeback

IP_IDENT = reassembly.ident
IP_REASSEMBLE = reassembly.reassemble
MAILBOX_ARRIVE = mailbox.arrive
MAILBOX_LENGTH = mailbox.length
MAILBOX_TAKE = mailbox.take
RPC_CALL = rpc.call
RPC_REPLY = rpc.reply
RPC_OUTSTANDING = rpc.outstanding
IN_ORDER = rpc.arrived
GRANT = rpc.grant
RESTORE = rpc.restore
WRITE_NEXT = writeback.following
WRITE_ANSWERED = writeback.answered
WRITE_COUNTED = writeback.counted
WRITE_LEFT = writeback.left
FRAME_BEGIN = spacing.begin
