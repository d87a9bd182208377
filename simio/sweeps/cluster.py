"""The workers of a Dask cluster as a pool."""

from __future__ import annotations

import logging
import re
import time
from queue import Empty, Queue
from typing import Any

from simio.errors import SimioError, one_line, quote
from simio.extras import needs
from simio.sweeps.work import Chunk, Done, work
from simio.version import VERSION

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}", re.ASCII)

CONNECT = 10
"""Seconds to wait for a scheduler, and for its first worker."""
LOOK = 2
"""Seconds between two looks at whether there is anybody left."""
PATIENCE = 30
"""Seconds without any worker after which a run is given up."""


class ClusterPool:
    """A Dask scheduler and its workers.

    Raises SimioError for an address where no scheduler answers, or workers with another version of simio.
    """

    def __init__(self, address: str) -> None:
        needs("distributed", "a cluster")
        from distributed import Client

        # Errors report failures.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self.address = address
        if not _ADDRESS.fullmatch(address):
            raise SimioError(f"--cluster: found {quote(address)}; expected an address such as tcp://host:8786")
        try:
            self._client = Client(address, timeout=CONNECT, set_as_default=False)
        except OSError as error:
            why = one_line(str(error) or type(error).__name__)
            raise SimioError(f"no Dask scheduler answers at {quote(address)}: {why}") from None
        try:
            self.workers = self._welcome()
        except BaseException:
            self._client.close()
            raise
        self._seen = time.monotonic()
        self._done: Queue[Any] = Queue()

    def _welcome(self) -> int:
        """Chunks that can be worked on at a time. Raises SimioError without workers, or with others' versions."""
        try:
            self._client.wait_for_workers(1, timeout=CONNECT)
        except TimeoutError:
            raise SimioError(f"the Dask scheduler at {quote(self.address)} has no workers") from None
        for worker, found in self._client.run(version_here, on_error="return").items():
            if found != VERSION:
                told = f"simio {found}" if isinstance(found, str) else f"no simio that can be used ({found})"
                raise SimioError(f"worker {worker} has {one_line(told)}; expected simio {VERSION}")
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, chunk: Chunk[Any]) -> Any:
        """Begin to work on a chunk."""
        future = self._client.submit(work, chunk, pure=False)
        future.add_done_callback(self._done.put)
        return future

    def first(self) -> Any:
        """Wait until a future is done, and return it. Raises SimioError where nobody is left."""
        while True:
            try:
                return self._done.get(timeout=LOOK)
            except Empty:
                self._look()

    def _look(self) -> None:
        """Raise SimioError where the scheduler is gone, or has long had no workers."""
        if self._client.status != "running":
            raise SimioError(f"the Dask scheduler at {quote(self.address)} has gone")
        if self._client.nthreads():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > PATIENCE:
            raise SimioError(f"the Dask scheduler at {quote(self.address)} has lost all its workers")

    def result(self, future: Any) -> Done[Any] | None:
        """The result of a future that is done, or None if the scheduler gave it up with the workers it killed.

        Raises SimioError if the scheduler has gone.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            done: Done[Any] = future.result()
        except KilledWorker:
            return None
        except CancelledError:
            raise SimioError(f"the Dask scheduler at {quote(self.address)} has gone") from None
        return done

    def close(self, finished: bool) -> None:
        """Leave the cluster, which forgets what was not finished."""
        self._client.close()


def version_here() -> str:
    """The version of simio where this runs."""
    return VERSION
