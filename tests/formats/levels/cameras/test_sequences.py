"""The order of new flyby cameras among existing ones, compared with insertion one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.levels.cameras.sequences import Key, order_with

_KEYS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=12)


def walked(stay: list[Key], come: list[Key]) -> list[int]:
    """Insert cameras one by one, by the rule."""
    whole = [*stay, *come]
    order = list(range(len(stay)))
    for index in sorted(range(len(stay), len(whole)), key=whole.__getitem__):
        own = [place for place, each in enumerate(order) if whole[each][0] == whole[index][0]]
        earlier = [place for place in own if whole[order[place]] <= whole[index]]
        order.insert(earlier[-1] + 1 if earlier else own[0] if own else len(order), index)
    return order


@given(_KEYS, _KEYS)
def test_the_order_of_cameras_equals_that_of_a_reference_implementation(
    stay: list[Key], come: list[Key]
) -> None:
    assert order_with(stay, come) == walked(stay, come)


def test_cameras_join_their_sequence() -> None:
    stay = [(1, 0), (1, 2), (0, 5), (0, 6)]
    come = [(2, 0), (1, 1), (1, 3), (0, 4)]
    assert [[*stay, *come][each] for each in order_with(stay, come)] == [
        *[(1, 0), (1, 1), (1, 2), (1, 3)],
        *[(0, 4), (0, 5), (0, 6)],
        (2, 0),
    ]
