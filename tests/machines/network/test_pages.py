"""Pages of packets and of data to send, worked by hand."""

from __future__ import annotations

from simio.machines.door import call
from simio.machines.network import ownership, page_list, page_pool
from simio.machines.network.page_pool import ANY, IN_ORDER


class Pool:
    """A pool that keeps four pages, of two buffers each, and posts two at a time."""

    def __init__(self, mode: int) -> None:
        self.state = page_pool.initial(mode, room=4, posts=2, shares=2)

    def fill(self, buffers: int) -> tuple[int, int] | None:
        """Pages from the list of the CPU and pages that the driver frees, if any are posted."""
        if not call(page_pool.fill, self.state, 0, 0, buffers):
            return None
        return call(page_pool.taken, self.state, 0, 0), call(page_pool.dropped, self.state, 0, 0)

    def free(self, buffers: int) -> int:
        return call(page_pool.free, self.state, 0, 0, buffers)


def test_a_list_takes_and_gives_batches() -> None:
    state = page_list.WORDS.initial(batch=63, high=378)
    # The first 64 pages want two batches, of which 62 pages are left; another 62 are there.
    assert [call(page_list.take, state, 0, 0, count) for count in (64, 62, 1)] == [126, 0, 63]
    # 62 pages are there. With the 316th the list is full, and 63 go back; 63 more fill it again.
    assert [call(page_list.put, state, 0, 0, count) for count in (315, 1, 62, 1)] == [0, 63, 0, 63]
    assert state[page_list.PAGES] == 315
    assert call(page_list.put, state, 0, 0, 63 + 63) == 126
    assert state[page_list.THROUGH] == 126 + 63 + 63 + 63 + 126
    assert call(page_list.put, state, 0, 0, -1) == call(page_list.take, state, 0, 0, -1) == -1


def test_what_one_cpu_takes_and_frees_stays_on_its_list() -> None:
    state = page_list.WORDS.initial(batch=63, high=378)
    passed = [call(one, state, 0, 0, 64) for _ in range(100) for one in (page_list.take, page_list.put)]
    assert passed == [126] + [0] * 199


def test_data_fill_blocks() -> None:
    state = page_list.BLOCKS.initial(size=32768)
    assert [call(page_list.fill, state, 0, 0, size) for size in (1448, 31320, 1, 65536, 32767)] == [1, 0, 1, 2, 0]
    assert call(page_list.fill, state, 0, 0, -1) == -1


def test_the_driver_posts_the_oldest_page_again_once_the_stack_has_let_it_go() -> None:
    pool = Pool(IN_ORDER)
    assert [pool.fill(1), pool.fill(3)] == [(2, 0), None]
    # Pages 1 and 2 are full, and the stack has them.
    assert pool.fill(1) == (2, 0)
    assert pool.free(4) == 0
    # 3 and 4 are full; 1 and 2 are posted again.
    assert pool.fill(4) == (0, 0)
    # The stack still has 3: neither it nor those behind it are posted. 7 and 8 find no room.
    assert [pool.fill(4), pool.fill(4)] == [(2, 0), (2, 0)]
    assert pool.free(12) == 2
    assert pool.state[page_pool.REUSED] == 2
    assert pool.state[page_pool.FRESH] == 8


def test_pages_that_the_stack_lets_go_before_the_driver_does_are_freed_by_the_driver() -> None:
    pool = Pool(IN_ORDER)
    for _ in range(3):
        assert pool.fill(4) is not None
    # 1 to 4 are kept, 5 and 6 are posted and full.
    assert pool.free(12) == 0
    # The driver keeps neither 5 nor 6, and posts 1 and 2.
    assert pool.fill(1) == (0, 2)
    assert call(page_pool.fill, pool.state, 0, 0, -1) == call(page_pool.free, pool.state, 0, 0, -1) == -1


def test_a_pool_of_any_page_does_not_wait_for_the_oldest() -> None:
    pool = Pool(ANY)
    assert [pool.fill(4), pool.fill(4), pool.fill(4)] == [(2, 0)] * 3
    # Of six pages that come back, four have room.
    assert pool.free(12) == 2
    assert [pool.fill(4), pool.fill(4), pool.fill(4)] == [(0, 0), (0, 0), (2, 0)]


def test_a_program_lets_go_of_the_buffers_of_what_it_has_read() -> None:
    # A packet of 8948 bytes lies in five buffers of 2 KiB.
    state = page_pool.UNREAD.initial(whole=8948, each=5)
    assert [call(page_pool.came, state, 0, 0, size) for size in (8948, 8948, 1000)] == [5, 5, 1]
    # 9000 bytes are read, and 9896 are left: of 11 buffers 11 * 9000 // 18896.
    assert call(page_pool.read, state, 0, 0, 9000, 9896) == 5
    assert call(page_pool.read, state, 0, 0, 9896, 0) == 6
    # Bytes that came twice are let go with the others.
    assert call(page_pool.came, state, 0, 0, 8948) == call(page_pool.came, state, 0, 0, 8948) == 5
    assert call(page_pool.read, state, 0, 0, 8948, 0) == 10


def test_a_datagram_lets_go_of_its_own_buffers() -> None:
    state = page_pool.UNREAD.initial(whole=4096, each=2)
    assert [call(page_pool.came, state, 0, 0, size) for size in (1000, 1000, 4096)] == [1, 1, 2]
    assert [call(page_pool.take, state, 0, 0, size) for size in (1000, 1000, 4096)] == [0, 0, 4]
    assert call(page_pool.take, state, 0, 0, 1) == -1


def test_a_buffer_with_more_fragments_has_more_cache_lines() -> None:
    state = ownership.WORDS.initial(head=40, size=16, most=17, whole=8948, each=3)

    def touched(size: int) -> tuple[int, int]:
        call(ownership.came, state, 0, 0, size)
        return call(ownership.take, state, 0, 0), call(ownership.take_lines, state, 0, 0)

    # One fragment: 56 bytes; three: 88.
    assert touched(1000) == (1, 1)
    assert touched(8948) == (1, 2)
    # 21 fragments are a buffer with 17, of 312 bytes, and one with four, of 104.
    assert touched(7 * 8948) == (2, 5 + 2)
    assert touched(0) == (0, 0)
