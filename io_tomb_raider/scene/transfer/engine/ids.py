"""Ids of models and sprite sequences in another game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ....catalogue import equivalent, is_sprite, names
from ....formats import Game
from ....formats.base import T
from ....formats.levels.textures import FIRST_ROOM_SPRITES
from ...core.subjects import Kind
from ...core.transfer import Transfer, near_text
from ...subjects.static_meshes.transfer import STATIC_CLASSES

_SCENERY = "Animating"  # names of models that only play their first animation
_FAR = "MIP"  # in names of models that are drawn at a distance


class LibraryNumber(NamedTuple):
    """The id of a model, static mesh or sprite sequence, or the number of a sound, in another game."""

    number: int | None  #: the number; None if the game has none.
    is_exact: bool = True  #: whether the game has the same object, not only a similar one.
    is_other_kind: bool = False  #: whether the game has a model for a sprite, or only a sprite for a model.

    @property
    def exact(self) -> int | None:
        """The number if the game has the same object, else None."""
        return self.number if self.is_exact else None


def library_number(kind: str, number: int, source: Game, target: Game) -> LibraryNumber:
    """Return the number in the library of another game of a number of a game.

    Args:
        kind: "model", "static", "sprite", "sound" or "flipeffect".
    """
    if kind == "static":
        # Lower ids are the same five classes of scenery in all games; only some games have names for them.
        return LibraryNumber(number if source is target or number < STATIC_CLASSES else None)
    if kind == "sprite" and number >= FIRST_ROOM_SPRITES[source]:
        return LibraryNumber(number - FIRST_ROOM_SPRITES[source] + FIRST_ROOM_SPRITES[target])
    counterpart = equivalent(kind, number, source, target)
    if counterpart is None or source is target:
        return LibraryNumber(None if counterpart is None else counterpart.number)
    new: int | None = counterpart.number
    if kind == "sprite" and new not in names(target).known("sprite"):
        return LibraryNumber(None, counterpart.is_exact, True)
    if kind == "model" and is_sprite(counterpart.number, target):
        # In games with sprites for pickups, the menu has models of them.
        new = _in_menu(counterpart.number, target)
    return LibraryNumber(new, counterpart.is_exact, new is None)


def plan_ids(transfer: Transfer) -> None:
    """Set the ids of models and sprite sequences of a level in the target game."""
    models = [int(obj.tomb_raider.model.id) for obj in transfer.objects(Kind.MODEL)]
    sprites = [int(obj.tomb_raider.sprite.sequence) for obj in transfer.objects(Kind.SPRITE_TEXTURE)]
    placed = [int(obj.tomb_raider.entity.type) for obj in transfer.objects(Kind.ENTITY)]
    _IdPlan(transfer).run(models, [each for each in sprites if each >= 0], placed)


class _IdPlan:
    """Assignment of ids."""

    def __init__(self, transfer: Transfer) -> None:
        self._transfer, self._source, self._target = transfer, transfer.source, transfer.target
        self._used: dict[int, str] = {}
        for kind in ("model", "sprite"):
            transfer.numbers.setdefault(kind, {})

    def run(self, models: Iterable[int], sprites: Iterable[int], placed: Iterable[int]) -> None:
        """Assign all ids.

        Args:
            models, sprites: the ids in the source game.
            placed: types of entities; unknown models with these types become scenery.
        """
        pairs = [("model", each) for each in sorted(set(models))]
        pairs += [("sprite", each) for each in sorted(set(sprites))]
        waiting = []
        for exact in (True, False):
            for kind, number in pairs:
                counterpart = library_number(kind, number, self._source, self._target)
                is_unknown = counterpart.number is None and not counterpart.is_other_kind
                if not is_unknown and counterpart.is_exact is exact:
                    self._assign(kind, number, counterpart)
                elif is_unknown and exact:
                    waiting.append((kind, number))
        placed_types = set(placed)
        for kind, number in waiting:
            if kind == "sprite":
                self._set(kind, number, None, T("this game has no counterpart"))
            elif number in placed_types:
                self._scenery(number)
            else:
                self._set(kind, number, None, T("this game has no counterpart, and no entity shows it"))

    def _set(self, kind: str, number: int, new: int | None, note: str = "") -> None:
        self._transfer.numbers[kind][number] = new
        self._transfer.notes[kind, number] = note

    def _name(self, kind: str, number: int) -> str:
        source_names = names(self._source)
        return source_names.model(number) if kind == "model" else source_names.sprite(number)

    def _assign(self, kind: str, number: int, counterpart: LibraryNumber) -> None:
        new = counterpart.number
        if new is None:
            note = T("this game has a sprite for it")
            if kind == "sprite":
                model = equivalent(kind, number, self._source, self._target)
                other = self._used.get(-1 if model is None else model.number)
                which = (
                    T("of which the level has none") if other is None else T("which is {other}", other=other)
                )
                note = T("this game has a model for it, {which}", which=which)
            self._set(kind, number, None, note)
            return
        if new in self._used:
            text = T(
                "this game has only one counterpart for it and {used}, which is kept", used=self._used[new]
            )
            self._set(kind, number, None, text)
            return
        self._used[new] = self._name(kind, number)
        self._set(kind, number, new, "" if counterpart.is_exact else near_text(new, self._target))

    def _scenery(self, number: int) -> None:
        for free, name in names(self._target).known("model").items():
            if name.startswith(_SCENERY) and _FAR not in name and free not in self._used:
                self._used[free] = self._name("model", number)
                note = T("this game has no counterpart: it becomes scenery, {name}", name=name)
                self._set("model", number, free, note)
                return
        note = T("this game has no counterpart, and no free number for scenery")
        self._set("model", number, None, note)


def _in_menu(number: int, target: Game) -> int | None:
    """Return the id of the menu model of a pickup sprite, or None."""
    title = f"{names(target).sprite(number)} (menu)".casefold()
    models = names(target).known("model").items()
    return next((each for each, name in models if name.casefold() == title), None)
