"""The ids of models and sprite sequences in another game: by name, by what is nearest, or as scenery."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ....catalogue import names
from ....catalogue.equivalents import equivalent
from ....formats import Game

_SCENERY = "Animating"  # what only plays its first animation is called so
_FAR = "MIP"  # and what is drawn far away so
# Ids from here on are those of static sprites, which only rooms show.
_STATIC_SPRITES = {Game.TR1: 191, Game.TR2: 265, Game.TR3: 376, Game.TR4: 465, Game.TR5: 460}


class NewId(NamedTuple):
    """What a model or a sprite sequence is in the game.

    Attributes:
        number: its id, or None where it is left out.
        note: why it is left out, or what is not the same, "" where all is well.
    """

    number: int | None
    note: str = ""


class NewIds(NamedTuple):
    """What the models and sprite sequences of a level are in the game, by the ids that they had.

    Attributes:
        models: of the models.
        sprites: of the sprite sequences.
    """

    models: dict[int, NewId]
    sprites: dict[int, NewId]

    def of_entity(self, number: int, source: Game, target: Game) -> NewId:
        """Return what a type of entities is in the game, whatever the level has for it."""
        found = self.models.get(number) or self.sprites.get(number)
        known = equivalent("model", number, source, target)
        is_sprite = known is not None and _is_sprite(known.number, target)
        if found is not None and found.number is not None and not is_sprite:
            return found
        if known is None:
            return found or NewId(None, "this game has nothing like it")
        return NewId(known.number, "" if known.is_exact else _near(known.number, target))


def new_ids(
    models: Iterable[int], sprites: Iterable[int], placed: Iterable[int], source: Game, target: Game
) -> NewIds:
    """Decide under which ids a level has its models and sprite sequences in another game.

    Args:
        models, sprites: the ids that there are.
        placed: types of entities: what nothing in the game is like stands there as scenery then.
        source, target: the games.
    """
    ids = NewIds({}, {})
    taken: dict[int, str] = {}
    wanted = [("model", each) for each in sorted(set(models))]
    wanted += [("sprite", each) for each in sorted(set(sprites))]
    waiting = []
    for exact in (True, False):
        for kind, number in wanted:
            known = equivalent(kind, number, source, target)
            if known is not None and known.is_exact is exact:
                _take(ids, taken, kind, number, NewId(known.number), source, target, exact=exact)
            elif known is None and exact:
                waiting.append((kind, number))
    standing = set(placed)
    for kind, number in waiting:
        if kind == "sprite":
            ids.sprites[number] = _static_sprite(number, taken, source, target)
        elif number in standing:
            ids.models[number] = _scenery(number, taken, source, target)
        else:
            ids.models[number] = NewId(None, "this game has nothing like it, and no entity shows it")
    return ids


def _take(
    ids: NewIds,
    taken: dict[int, str],
    kind: str,
    number: int,
    new: NewId,
    source: Game,
    target: Game,
    *,
    exact: bool,
) -> None:
    assert new.number is not None
    mine = names(source).model(number) if kind == "model" else names(source).sprite(number)
    found = ids.models if kind == "model" else ids.sprites
    if kind == "sprite" and new.number not in names(target).known("sprite"):
        other = f"which is {taken[new.number]}" if new.number in taken else "of which the level has none"
        found[number] = NewId(None, f"this game has a model for it, {other}")
        return
    if kind == "model" and _is_sprite(new.number, target):
        new = _in_menu(new.number, target)  # where items lie about as sprites, this game has both
        if new.number is None:
            found[number] = new
            return
    there = new.number
    assert there is not None
    if there in taken:
        text = f"this game has one thing for it and for {taken[there]}, which stays"
        found[number] = NewId(None, text)
        return
    taken[there] = mine
    found[number] = NewId(there, "" if exact else _near(there, target))


def _is_sprite(number: int, game: Game) -> bool:
    known = names(game)
    return number in known.known("sprite") and number not in known.known("model")


def _in_menu(number: int, target: Game) -> NewId:
    """Return the model that shows an item in the menu, whose sprite has a number."""
    wanted = f"{names(target).sprite(number)} (menu)".casefold()
    known = names(target).known("model").items()
    found = next((each for each, name in known if name.casefold() == wanted), None)
    return NewId(None, "this game has a sprite for it") if found is None else NewId(found)


def _near(number: int, target: Game) -> str:
    return f"the nearest that this game has is {names(target).entity(number)}, which it acts as"


def _scenery(number: int, taken: dict[int, str], source: Game, target: Game) -> NewId:
    for free, name in names(target).known("model").items():
        if name.startswith(_SCENERY) and _FAR not in name and free not in taken:
            taken[free] = names(source).model(number)
            return NewId(free, f"this game has nothing like it: it stands there as scenery, {name}")
    return NewId(None, "this game has nothing like it, and no place for more scenery")


def _static_sprite(number: int, taken: dict[int, str], source: Game, target: Game) -> NewId:
    first = _STATIC_SPRITES[source]
    if number < first:
        return NewId(None, "this game has nothing like it")
    new = number - first + _STATIC_SPRITES[target]
    taken[new] = names(source).sprite(number)
    return NewId(new)
