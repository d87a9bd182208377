"""Options of fio that simio does not model, each with the reason: refused, or ignored where it cannot matter.

The names are those of fio 3.33 (`fio --cmdhelp=all`, `fio --enghelp=libaio`, `fio --enghelp=io_uring`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_CONTENT = "the content of blocks decides nothing here"
_LOGS = "simio writes no logs of fio"
_PRINTING = "it changes what fio prints"
_SETUP = "files are there before the run begins"
_DRAWS = "random draws follow run.seed of the scenario"
_CLOCK = "simulated time needs no clock"
_ERRORS = "requests do not fail unless the scenario has faults"
_ZONES = "zones of a device or of a file are not modelled; random_distribution=zoned has weights of places"
_TRIM = "trims are not modelled"
_VERIFY = "verifying reads blocks again, which is not modelled"
_PRIORITY = "priorities of requests are not modelled"
_REPLAY = "use a workload of kind replay for a recorded trace"
_PLACEMENT = "memory and cores of nodes are not distinguished; cpus_allowed names cores"
_SEARCH = "use simio capacity, which searches for the load that holds a promise"
_FLOW = "jobs that regulate one another are not modelled"
_FAILING = "a job that ends when it is too slow is not modelled"
_DEDUPE = "reduction of data is not modelled"


def _all(reason: str, names: str) -> Iterator[tuple[str, str]]:
    return ((name, reason) for name in names.split())


IGNORED: Mapping[str, str] = dict([
    *_all(_CONTENT, "buffer_pattern refill_buffers scramble_buffers zero_buffers"),
    *_all(_LOGS, "write_bw_log write_lat_log write_iops_log write_hist_log bwavgtime iopsavgtime log_avg_msec "
          "log_hist_msec log_hist_coarseness log_max_value log_offset log_prio log_compression log_compression_cpus "
          "log_store_compressed log_unix_epoch log_alternate_epoch log_alternate_epoch_clock_id log_entries "
          "per_job_logs write_iolog log_window_value log_issue_time"),
    *_all(_PRINTING, "description disk_util significant_figures unit_base stats slat_percentiles "
          "block_error_percentiles disable_lat disable_clat disable_slat disable_bw_measurement"),
    *_all(_SETUP, "allow_file_create allow_mounted_write create_fsync create_serialize fallocate filetype "
          "create_on_open unlink unlink_each_loop openfiles overwrite unique_filename"),
    *_all(_DRAWS, "allrandrepeat randrepeat randseed random_generator softrandommap"),
    *_all(_CLOCK, "clocksource gtod_reduce"),
    *_all(_ERRORS, "continue_on_error error_dump exitall_on_error ignore_error"),
    *_all("processes and threads of fio cost the same here", "thread"),
    *_all("buffers are in memory, whatever kind of allocation that is", "mem iomem hugepage-size"),
    *_all("the file system reads ahead by the order of the requests", "fadvise_hint"),
    *_all("no modelled device places data by it", "write_hint"),
    *_all("rates are kept from the first request on", "rate_cycle"),
    *_all("a request of one buffer costs the same as a vector of one", "nonvectored"),
    *_all("each process stays on one of its CPUs, in turn", "cpus_allowed_policy"),
    *_all("a process takes iodepth_batch_complete_min completions at a time, or with 0 all that are there",
          "iodepth_batch_complete_max"),
    *_all("thinktime_blocks counts requests as they are issued", "thinktime_blocks_type"),
    *_all("fixedbufs registers the files, too", "registerfiles"),
    *_all("it is a way of reaping that takes the same time here", "userspace_reap"),
    *_all("no modelled device is without room for a request", "nowait"),
    *_all("requests that overlap are not ordered by any modelled part", "serialize_overlap"),
])  # fmt: skip
"""Options that change nothing that is simulated, each with the reason."""

REFUSED: Mapping[str, str] = dict([
    *_all(_VERIFY, "verify verify_async verify_backlog verify_backlog_batch verify_only verify_state_load "
          "experimental_verify"),
    *_all(_TRIM, "trim_percentage trim_backlog trim_backlog_batch"),
    *_all(_REPLAY, "read_iolog merge_blktrace_file"),
    *_all(_ZONES, "zonemode zonesize zonerange zonecapacity zoneskip zone_reset_threshold zone_reset_frequency"),
    *_all(_SEARCH, "latency_target latency_run steadystate steadystate_duration steadystate_ramp_time max_latency"),
    *_all(_PRIORITY, "prio prioclass cmdprio cmdprio_percentage cmdprio_class cmdprio_bssplit ioscheduler nice "
          "cgroup cgroup_weight"),
    *_all(_PLACEMENT, "numa_cpu_nodes numa_mem_policy gtod_cpu"),
    *_all(_FLOW, "flow flow_id flow_sleep wait_for exitall exit_what"),
    *_all(_FAILING, "rate_min rate_iops_min fill_device"),
    *_all(_DEDUPE, "dedupe_percentage dedupe_mode dedupe_working_set_percentage dedupe_global "
          "buffer_compress_percentage buffer_compress_chunk"),
    *_all("commands that a shell runs are not simulated", "exec_prerun exec_postrun profile"),
    *_all("what is in memory before the run is not modelled", "pre_read lockmem uncached"),
    *_all("barriers and ranges of files that are flushed are not modelled", "write_barrier sync_file_range atomic"),
    *_all("files do not grow", "file_append"),
    *_all("files are named, not found in a folder", "opendir"),
    *_all("sizes of requests are multiples of a sector", "bs_unaligned bs_is_seq_rand"),
    *_all("a load whose submission has threads of its own is a reader or writer with arrivals", "io_submit_mode"),
    *_all("an interval of I/O time between pauses is not modelled", "thinktime_iotime"),
    *_all("reports of one direction are not summed up with the other's", "unified_rw_reporting"),
    *_all("files are not locked", "lockfile"),
    *_all("it runs no requests", "create_only"),
    *_all("requests that io_uring hands to a worker are not modelled", "force_async"),
    *_all("only options of the engines libaio and io_uring are known", "cmd_type"),
])  # fmt: skip
"""Options that would change the result but are not modelled, each with the reason."""

HARMLESS: Mapping[str, tuple[str, ...]] = {
    "verify": ("0", "none"), "zonemode": ("none",), "io_submit_mode": ("inline",), "lockfile": ("none",),
    "unified_rw_reporting": ("none", "0"), "dedupe_mode": ("repeat",), "latency_target": ("0",),
}  # fmt: skip
"""Values of refused options that ask for nothing; of every other, 0 does."""

WITHOUT_EFFECT: Mapping[str, str] = {
    "do_verify": "verify", "verify_interval": "verify", "verify_offset": "verify", "verify_pattern": "verify",
    "verify_fatal": "verify", "verify_dump": "verify", "verify_state_save": "verify", "trim_verify_zero": "trims",
    "replay_align": "read_iolog", "replay_no_stall": "read_iolog", "replay_redirect": "read_iolog",
    "replay_scale": "read_iolog", "replay_skip": "read_iolog", "replay_time_scale": "read_iolog",
    "read_iolog_chunked": "read_iolog", "merge_blktrace_iters": "merge_blktrace_file",
    "merge_blktrace_scalars": "merge_blktrace_file", "max_open_zones": "zonemode",
    "job_max_open_zones": "zonemode", "ignore_zone_limits": "zonemode", "read_beyond_wp": "zonemode",
    "latency_window": "latency_target", "latency_percentile": "latency_target",
    "cgroup_nodelete": "cgroup",
    "uid": "permissions", "gid": "permissions",
}  # fmt: skip
"""Options that do something only together with another, which is refused or not modelled; ignored."""


def harmless(name: str, value: str | None) -> bool:
    """True if this value of a refused option asks for nothing."""
    return value is not None and value.strip() in HARMLESS.get(name, ("0",))
