"""Names that other tools have for the keys, kinds and words of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

from simio.errors import did_you_mean, quote

_CALLED = {
    "depth": "qd iodepth io_depth queue_depth outstanding",
    "processes": "numjobs jobs threads workers",
    "reads": "rw rwmixread read_share writes",
    "pattern": "rw readwrite access_pattern",
    "block": "bs blocksize block_size io_size request_size",
    "interface": "ioengine engine api",
    "host": "server client",
    "from": "client source src",
    "to": "server target destination dst",
    "storage": "to target device disk volume filename",
    "cpus": "cores cpu_count vcpus",
    "rate": "speed bandwidth bw throughput",
    "delay": "latency rtt",
    "transfer": "rsize wsize",
    "transport": "proto protocol",
    "accelerators": "gpus gpu",
    "unit": "chunk chunk_size stripe_size stripe_unit",
    "process": "distribution",
    "object": "size object_size",
    "until": "runtime duration time seconds",
    "warm_up": "warmup ramp_time ramp",
    "random": "randread randwrite rand",
    "sequential": "read write seq",
    "stripe": "raid0 raid-0 striped",
    "mirror": "raid1 raid-1 mirrored",
    "concat": "jbod linear span",
    "msr-cambridge": "msr",
    "spc": "umass umass-spc",
    "blkparse": "blktrace btt",
    "fio-iolog-3": "iolog fio-iolog fio",
    "recorded": "open open-loop timed original",
    "objects": "s3 http get put",
    "iperf3": "iperf",
    "for": "duration lasts",
    "size": "length len write_size",
    "streams": "parallel connections flows",
    "method": "zerocopy zero_copy msg_zerocopy sendfile",
    "window": "sockbuf socket_buffer tcp_window",
    "send_space": "tcp_wmem wmem wmem_max sndbuf so_sndbuf tcp_sendspace",
    "receive_space": "tcp_rmem rmem rmem_max rcvbuf so_rcvbuf tcp_recvspace",
    "congestion_control": "cc congestion tcp_congestion_control",
    "initial_window": "initcwnd init_cwnd iw",
    "discipline": "qdisc aqm scheduler",
    "queue": "limit qlen txqueuelen",
    "loss": "drop drop_rate loss_rate packet_loss plr",
    "pause_above": "pfc xoff pause flow_control",
    "mark_above": "ecn ecn_threshold marking_threshold kmin",
    "share": "alpha dynamic_threshold",
    "queues": "channels combined rss_queues",
    "receive_ring": "rx_ring rx_ring_size",
    "transmit_ring": "tx_ring tx_ring_size",
    "coalesce_delay": "rx_usecs rx-usecs itr",
    "coalesce_count": "rx_frames rx-frames",
}
"""Names in other tools of a key, a kind or a word of a scenario."""
_ELSEWHERE = {"run.until": "runtime duration time seconds"}
"""Likewise, of keys that stand in another place than users of these tools expect."""


def meant(word: str, names: Sequence[str]) -> str:
    """`"did you mean 'x'?"` for the name that other tools call `word`, or else for the one that is spelt alike."""
    called = [own for own, others in _CALLED.items() if own in names and word.casefold() in others.split()]
    called += [own for own, others in _ELSEWHERE.items() if word.casefold() in others.split()]
    return f"did you mean {quote(called[0])}?" if called else did_you_mean(word, names)
