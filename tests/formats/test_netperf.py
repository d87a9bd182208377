"""Output of netperf in a measured table."""

from __future__ import annotations

import pytest

from simio.errors import SimioError
from simio.formats.netperf import netperf_results

STREAM = """MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to server () port 0 AF_INET
Recv   Send    Send                          Utilization       Service Demand
Socket Socket  Message  Elapsed              Send     Recv     Send    Recv
Size   Size    Size     Time     Throughput  local    remote   local   remote
bytes  bytes   bytes    secs.    10^6bits/s  % S      % S      us/KB   us/KB

 87380  16384  16384    10.00      9412.34   12.50    25.00    0.435   0.870
"""
PLAIN = """Recv   Send    Send
Socket Socket  Message  Elapsed
Size   Size    Size     Time     Throughput
bytes  bytes   bytes    secs.    MBytes/sec

131072  16384  16384    10.00    112.00
"""
UDP = """UDP UNIDIRECTIONAL SEND TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to server () port 0 AF_INET
Socket  Message  Elapsed      Messages
Size    Size     Time         Okay Errors   Throughput
bytes   bytes    secs            #      #   10^6bits/sec

212992    1472   10.00      850000      0    1000.96
212992           10.00      845000            995.07
"""
RR = """MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to server () port 0 AF_INET
Local /Remote
Socket Size   Request Resp.  Elapsed Trans.   CPU    CPU    S.dem   S.dem
Send   Recv   Size    Size   Time    Rate     local  remote local   remote
bytes  bytes  bytes   bytes  secs.   per sec  % S    % S    us/Tr   us/Tr

16384  131072 1       1      10.00   20000.00  20.86  1.34   62.490  97.446
16384  131072
"""
KEYS = """OMNI Send TEST from 0.0.0.0 ...
THROUGHPUT=11540.09
THROUGHPUT_UNITS=10^6bits/s
LOCAL_TRANSPORT_RETRANS=17
LOCAL_CPU_UTIL=12.5
REMOTE_CPU_UTIL=-1
"""
RR_KEYS = "THROUGHPUT=25000.00\nTHROUGHPUT_UNITS=Trans/s\nP50_LATENCY=39\n"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (STREAM, [("throughput", 9412.34, "Mbit/s", ""), ("cpu", 12.5, "%", "client"), ("cpu", 25.0, "%", "server")]),
        (PLAIN, [("throughput", 112.0, "MiB/s", "")]),
        (UDP, [("throughput", 995.07, "Mbit/s", ""), ("stream", 1000.96, "Mbit/s", "sent")]),
        (RR, [("latency", 50.0, "us", "transaction"), ("cpu", 20.86, "%", "client"), ("cpu", 1.34, "%", "server")]),
        (
            KEYS,
            [
                ("throughput", 11540.09, "Mbit/s", ""),
                ("cpu", 12.5, "%", "client"),
                ("retransmits", 17.0, "segments", ""),
            ],
        ),
        (RR_KEYS, [("latency", 40.0, "us", "transaction")]),
    ],
    ids=["TCP_STREAM -c -C", "TCP_STREAM -f M -P 0", "UDP_STREAM", "TCP_RR -c -C", "-k", "TCP_RR -k"],
)
def test_what_a_test_printed(text, rows):
    assert netperf_results(text) == rows


def test_another_text_is_not_netperfs():
    assert netperf_results("throughput 3 of 4\n1 2 3\n") is None


def test_a_test_without_a_result_is_told():
    with pytest.raises(SimioError, match="without a result"):
        netperf_results(STREAM.partition(" 87380")[0])
