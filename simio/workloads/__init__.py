"""Workloads: applications as short programs that call kernel verbs; one file a kind."""

from simio.lower import register_lowering
from simio.workloads.blast import blast
from simio.workloads.reader import reader
from simio.workloads.writer import writer

register_lowering("blast", blast)
register_lowering("reader", reader)
register_lowering("writer", writer)
