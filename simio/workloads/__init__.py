"""Workloads: applications as short programs that call kernel verbs; one file a kind."""

from simio.lower import register_lowering
from simio.workloads.blast import blast
from simio.workloads.compute import compute
from simio.workloads.copy import copy
from simio.workloads.datagrams import datagrams
from simio.workloads.ftp import ftp
from simio.workloads.nfs import nfs
from simio.workloads.ping import ping
from simio.workloads.play import play
from simio.workloads.rcp import rcp
from simio.workloads.reader import reader
from simio.workloads.requests import requests
from simio.workloads.tar import tar
from simio.workloads.ttcp import ttcp
from simio.workloads.writer import writer

register_lowering("blast", blast)
register_lowering("copy", copy)
register_lowering("datagrams", datagrams)
register_lowering("ftp", ftp)
register_lowering("nfs", nfs)
register_lowering("compute", compute)
register_lowering("ping", ping)
register_lowering("rcp", rcp)
register_lowering("play", play)
register_lowering("reader", reader)
register_lowering("requests", requests)
register_lowering("tar", tar)
register_lowering("ttcp", ttcp)
register_lowering("writer", writer)
