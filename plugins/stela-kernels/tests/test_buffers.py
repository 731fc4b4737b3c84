"""Memory is used again only when no tensor, and no view of one, is alive."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from stela_kernels.passes import MOST, Buffers


def made(buffers: Buffers, shape: tuple[int, int] = (2, 3)) -> torch.Tensor:
    return torch.from_numpy(buffers.take(shape))


def test_memory_is_used_again_when_the_tensor_is_gone() -> None:
    buffers = Buffers()
    tensor = made(buffers)
    address = tensor.data_ptr()
    del tensor
    assert made(buffers).data_ptr() == address


def test_generate_holds_the_last_output_while_it_asks_for_the_next() -> None:
    buffers = Buffers()
    addresses = set()
    last = made(buffers)
    for _ in range(20):
        following = made(buffers)
        assert following.data_ptr() != last.data_ptr()
        last = following
        addresses.add(last.data_ptr())
    assert len(addresses) == MOST


def test_whatever_shares_the_memory_keeps_it() -> None:
    for share in (
        lambda t: t[1:],
        lambda t: t.view(-1).detach(),
        lambda t: t.numpy(),
        lambda t: np.asarray(t)[:1, 1:],
        lambda t: torch.nn.Parameter(t),
        lambda t: t.untyped_storage(),
        lambda t: memoryview(t.numpy()),
    ):
        buffers = Buffers()
        tensor = made(buffers)
        address = tensor.data_ptr()
        shared = share(tensor)
        del tensor
        later = [made(buffers) for _ in range(4)]
        assert address not in {t.data_ptr() for t in later}
        del shared


def test_all_outputs_may_be_kept() -> None:
    """As with ``output_scores=True``."""
    buffers = Buffers()
    kept = []
    for step in range(10):
        tensor = made(buffers)
        tensor.fill_(step)
        kept.append(tensor)
    assert [t[0, 0].item() for t in kept] == list(range(10))


def test_threads_never_share_an_array() -> None:
    buffers = Buffers()

    def work(number: int) -> bool:
        for _ in range(300):
            tensor = made(buffers, (1, 64))
            tensor.fill_(number)
            if not (tensor == number).all():
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_another_shape_lets_the_old_memory_go() -> None:
    buffers = Buffers()
    made(buffers, (8, 8))
    made(buffers, (4, 4))
    assert [buffer.shape for buffer in buffers.kept] == [(4, 4)]
