"""The catalogue of TRNG."""

from __future__ import annotations

from collections import Counter

import pytest

from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.trng_numbers import Meaning, effect_names, trng
from io_tomb_raider.formats import Game

_KINDS = {"", "slot", "entity", "sound", "track"}


def test_effects_have_their_names_and_values() -> None:
    known = trng()
    effect = known.flipeffects[79]
    assert effect.name == "Lara: move to start position"
    assert effect.first == Meaning("OCB of start position")
    assert known.actions[26].name == "Door: open or close"
    assert known.named(known.actions[26].first) == {0: "Close", 1: "Open"}
    assert known.conditions[2].first == Meaning("Item", "slot")
    assert known.named(known.conditions[2].first) == {}
    assert known.named(None) == {}
    assert known.flipeffects[118].second == Meaning("Way", "execution")


@pytest.mark.parametrize("kind", ["flipeffects", "actions", "conditions"])
def test_names_are_short_and_unique_and_lists_exist(kind: str) -> None:
    known = trng()
    effects = getattr(known, kind)
    called = effect_names(effects)
    assert max(Counter(name.casefold() for name in called.values()).values()) == 1
    assert max(map(len, called.values())) <= 50
    assert list(called) == sorted(called)
    for effect in effects.values():
        for meaning in (effect.first, effect.second):
            assert meaning is None or meaning.kind in _KINDS | known.values.keys()


def test_values_fit_and_are_all_used() -> None:
    known = trng()
    used: dict[str, int] = {}
    for effects, limits in (
        (known.flipeffects, (255, 127)),
        (known.actions, (127,)),
        (known.conditions, (1023, 31)),
    ):
        for effect in effects.values():
            for meaning, limit in zip((effect.first, effect.second), limits, strict=False):
                if meaning is not None and meaning.kind in known.values:
                    used[meaning.kind] = max(used.get(meaning.kind, 0), limit)
    assert used.keys() == known.values.keys()
    for kind, called in known.values.items():
        assert min(called) >= 0 and max(called) <= used[kind], kind
        assert max(Counter(name.casefold() for name in called.values()).values()) == 1, kind


def test_flipeffects_of_trng_differ_from_those_of_the_game() -> None:
    own = names(Game.TR4).known("flipeffect")
    assert not own.keys() & trng().flipeffects.keys()
    both = [*own.values(), *effect_names(trng().flipeffects).values()]
    assert len({name.casefold() for name in both}) == len(both)


def test_items_of_the_inventory_are_those_of_the_game() -> None:
    items = trng().values["inventory"]
    assert len(items) == 114
    assert set(items.values()) <= set(names(Game.TR4).known("model").values())
