"""Pieces have the same digest only if a game would show, move and play them alike."""

from __future__ import annotations

import numpy as np

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.edits.append.cut import PieceChoice, cut_to
from io_tomb_raider.formats.edits.assets.content import Contents
from tests.games import each_game
from tests.sample_levels import sample_level
from tests.sample_levels.models import model_id


def digests(level: Level) -> dict[tuple[str, int], str]:
    """Return the digests of all pieces of a library."""
    contents = Contents(level)
    there = {
        "model": level.models["id"],
        "static": level.static_meshes["id"],
        "sprite": level.sprite_sequences["id"],
        "sound": np.flatnonzero((level.sound_map >= 0) & (level.sound_map < len(level.sound_details))),
    }
    return {(kind, each): contents.digest(kind, each) for kind, ids in there.items() for each in ids.tolist()}


@each_game
def test_numbers_of_tables_do_not_count(game: Game) -> None:
    """A level cut to its enemy has other numbers of meshes, textures, pages and animations."""
    level = sample_level(game)
    enemy = model_id(game, "enemy")
    cut = cut_to(level, PieceChoice(frozenset({enemy}), frozenset(), frozenset(), frozenset()))
    assert len(cut.mesh_pointers) < len(level.mesh_pointers) and len(cut.animations) < len(level.animations)
    assert Contents(cut).digest("model", enemy) == Contents(level).digest("model", enemy)


@each_game
def test_ids_of_models_and_static_meshes_do_not_count(game: Game) -> None:
    level, enemy = sample_level(game), model_id(game, "enemy")
    before = Contents(level).digest("model", enemy)
    level.models = level.models.copy()
    level.models["id"][level.models["id"] == enemy] = 321
    assert Contents(level).digest("model", 321) == before


@each_game
def test_edits_of_content_change_the_digest(game: Game) -> None:
    enemy = model_id(game, "enemy")
    before = digests(sample_level(game))
    assert len(set(before.values())) == len(before)

    def differing(level: Level) -> set[tuple[str, int]]:
        after = digests(level)
        return {each for each in before if before[each] != after[each]}

    level = sample_level(game)
    (row,) = np.flatnonzero(level.models["id"] == enemy)
    animation = int(level.models["animation"][row])
    level.animations = level.animations.copy()
    level.animations["speed"][animation] += 1
    assert differing(level) == {("model", enemy)}

    level = sample_level(game)
    level.static_meshes = level.static_meshes.copy()
    level.static_meshes["collision_box"][0, 0] += 1
    assert differing(level) == {("static", int(level.static_meshes["id"][0]))}

    level = sample_level(game)
    level.sound_details = level.sound_details.copy()
    level.sound_details["volume"][0] += 1
    changed = differing(level)
    assert changed and {kind for kind, _ in changed} == {"sound"}

    level = sample_level(game)
    name = "textiles32" if game.traits.has_32bit_pages else "textiles8"
    if game.traits.has_16bit_pages and not game.traits.has_32bit_pages:
        name = "textiles16"
    pages = getattr(level, name).copy()
    pages ^= 0x11
    setattr(level, name, pages)
    assert {kind for kind, _ in differing(level)} == {"model", "static", "sprite"}


@each_game
def test_only_an_edited_room_gets_another_digest(game: Game) -> None:
    level = sample_level(game)
    before = [Contents(level).digest("room", each) for each in range(len(level.rooms))]
    assert len(set(before)) == len(before)
    other = sample_level(game)
    other.rooms[0].sectors = other.rooms[0].sectors.copy()
    other.rooms[0].sectors["floor"][9] -= 1
    after = [Contents(other).digest("room", each) for each in range(len(other.rooms))]
    assert [one == two for one, two in zip(before, after, strict=True)] == [False] + [True] * (
        len(before) - 1
    )
