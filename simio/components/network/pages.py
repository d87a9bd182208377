"""Pages of packets and of data to send: whose list they come from, and where they go when they are freed."""

from __future__ import annotations

from collections.abc import Callable

from simio.components.network.place import CorePlace, Places
from simio.description.sheets.queued import QueuedAdapter
from simio.description.sheets.stacks import TcpIpStack
from simio.machines.network import page_list, page_pool
from simio.program.builder import Builder, Handle, Operand, Register

MODES = {"in order": page_pool.IN_ORDER, "any": page_pool.ANY}


class PageLists:
    """The lists of free pages that the CPUs of a host keep, and the locks of the memory of its sockets."""

    def __init__(self, p: Builder, places: Places, stack: TcpIpStack) -> None:
        self.p, self.places, self.stack = p, places, stack
        self._lists: dict[tuple[int, int], int] = {}
        self._locks: dict[int, Handle] = {}

    @property
    def counted(self) -> bool:
        """False for a stack whose pages cost the same wherever they come from."""
        stack = self.stack
        return bool(stack.page_cost or stack.buddy_cost)

    def take(self, place: CorePlace, core: int, count: Operand) -> None:
        """Pages of a core's own memory leave its list; a place, with its own core in hand, works."""
        self._pass(place, core, self.places.cores.socket(core), page_list.take, count)

    def put(self, place: CorePlace, socket: int, count: Operand) -> None:
        """Pages of a socket's memory are freed at a place, with its core in hand."""
        self._pass(place, place.core.number, socket, page_list.put, count)

    def locked(self, place: CorePlace, socket: int, operation: str, count: Register) -> None:
        """Do an operation under the lock of a socket's memory, if it is to be done at all."""
        p = self.p
        if socket not in self._locks:
            self._locks[socket] = p.resource(f"{self.places.spent.host.name} memory {socket} zone lock")
        lock = self._locks[socket]
        with p.when(count > 0), place.kept(), p.scope():
            begun = p.now()
            p.seize(lock)
            place.spun(begun)
            place.spend(operation, count)
            p.release(lock)

    def _pass(self, place: CorePlace, core: int, socket: int, function: Callable[..., int], count: Operand) -> None:
        p = self.p
        with p.scope():
            passed = p.answer(function, self._list(core, socket), count)
            self.locked(place, socket, "buddy", passed)

    def _list(self, core: int, socket: int) -> int:
        if (core, socket) not in self._lists:
            name = f"{self.places.spent.host.name}.core {core} pages of memory {socket}"
            stack = self.stack
            state = self.p.machine(name, page_list.WORDS.initial(batch=stack.page_batch, high=stack.page_high))
            self.p.tally(name, "through the buddy allocator", state + page_list.THROUGH, "pages")
            self._lists[core, socket] = state
        return self._lists[core, socket]


class PagePool:
    """The pages that the driver posts for one queue, of the memory of its core's socket."""

    def __init__(self, p: Builder, name: str, lists: PageLists, core: int, sheet: QueuedAdapter) -> None:
        self.p, self.lists, self.core = p, lists, core
        self.socket = lists.places.cores.socket(core)
        page = lists.places.spent.page
        self.buffer = min(sheet.buffer, page)
        """Bytes of a page that are one packet's at least."""
        room = sheet.page_pool or 0
        self.state = p.machine(
            name, page_pool.initial(MODES[sheet.page_pool_order], room, sheet.page_post, page // self.buffer)
        )
        p.tally(name, "posted again", self.state + page_pool.REUSED, "pages")
        p.tally(name, "posted", self.state + page_pool.FRESH, "pages from the CPU's list")

    def fill(self, place: CorePlace, buffers: Operand) -> None:
        """Packets fill buffers; a place, with its core in hand, works."""
        p = self.p
        with p.scope():
            pages = p.answer(page_pool.fill, self.state, buffers)
            with p.when(pages > 0):
                p.call(pages, page_pool.dropped, self.state)
                self._put(place, pages)
                p.call(pages, page_pool.taken, self.state)
                place.spend("page", pages)
                self.lists.take(place, self.core, pages)

    def free(self, place: CorePlace, buffers: Operand) -> None:
        """The stack lets buffers go at a place, with its core in hand."""
        p = self.p
        with p.scope():
            self._put(place, p.answer(page_pool.free, self.state, buffers))

    def _put(self, place: CorePlace, count: Register) -> None:
        with self.p.when(count > 0):
            self.lists.put(place, self.socket, count)


class Unread:
    """The buffers of packets that one program has not read."""

    def __init__(self, name: str, pool: PagePool, whole: int, length: int) -> None:
        """A full packet has `whole` bytes of data, and is `length` bytes long."""
        self.p, self.pool = pool.p, pool
        each = -(-length // pool.buffer)
        self.state = self.p.machine(f"{name} pages", page_pool.UNREAD.initial(whole=whole, each=each))

    def came(self, place: CorePlace, size: Operand) -> None:
        """A packet with data has come, with the core of a place in hand."""
        with self.p.scope():
            self.pool.fill(place, self.p.answer(page_pool.came, self.state, size))

    def read(self, place: CorePlace, size: Operand, rest: Operand) -> None:
        """A program has copied data of a stream, of which `rest` bytes are left."""
        with self.p.scope():
            self._free(place, self.p.answer(page_pool.read, self.state, size, rest))

    def take(self, place: CorePlace, size: Operand) -> None:
        """A program has copied data, with its core in hand."""
        with self.p.scope():
            self._free(place, self.p.answer(page_pool.take, self.state, size))

    def _free(self, place: CorePlace, buffers: Register) -> None:
        with self.p.when(buffers > 0):
            self.pool.free(place, buffers)


class Blocks:
    """The blocks of pages that one program's data are copied into."""

    def __init__(self, name: str, lists: PageLists, place: CorePlace, most: int) -> None:
        """A buffer has `most` bytes at most."""
        self.p, self.lists, self.place, self.most = lists.p, lists, place, most
        self.state = self.p.machine(f"{name} blocks", page_list.BLOCKS.initial(size=lists.stack.block))

    def fill(self, size: Register) -> None:
        """Data are copied in, with the core in hand: a buffer has a fragment, and one more where a block begins."""
        p = self.p
        with p.scope():
            begun = p.answer(page_list.fill, self.state, size)
            self.place.spend("fragment out", p.register(begun + (size + (self.most - 1)) // self.most))
            self.lists.locked(self.place, self.place.socket, "block", begun)
