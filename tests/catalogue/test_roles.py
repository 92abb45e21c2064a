"""Roles of entities, by names and numbers of the catalogue."""

from __future__ import annotations

import pytest

from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.roles import (
    Role,
    is_of_sector,
    is_off_wall,
    is_on_wall,
    is_under_water,
    role_of,
)
from io_tomb_raider.formats import Game
from tests.games import each_game


@pytest.mark.parametrize(
    ("role", "numbers"),
    [
        (Role.DOOR, (57, 111, 138, 332, 312)),
        (Role.TRAPDOOR, (65, 63, 139, 127, 113)),
        (Role.SWITCH, (55, 92, 128, 306, 281)),
        (Role.KEYHOLE, (137, 227, 213, 271, 265)),
        (Role.PICKUP, (93, 149, 176, 204, 350)),
        (Role.ENEMY, (7, 45, 287, 102, 91)),
        (Role.TRAP, (37, 60, 89, 138, 116)),
        (Role.OTHER, (0, 0, 0, 0, 0)),
        (Role.OTHER, (122, 189, 217, 272, 250)),  # filled puzzle holes, which the games place
        (Role.OTHER, (68, 117, 142, 336, 448)),
    ],
)
def test_each_game_has_all_roles(role: Role, numbers: tuple[int, ...]) -> None:
    for game, number in zip(Game, numbers, strict=True):
        assert role_of(game, number) is role, (game, names(game).entity(number))


@each_game
def test_roles_are_of_objects_that_users_place(game: Game) -> None:
    """Models of the menu, for the distance, and of Lara are not placed by users."""
    for number, name in {**names(game).known("model"), **names(game).known("sprite")}.items():
        role = role_of(game, number)
        if any(part in name for part in ("(menu)", "MIP)", "(filled)", "Animating", "Cutscene", "Bridge")):
            assert role is Role.OTHER, name
        if (
            "door" in name.lower().split()
            and "MIP" not in name
            and "lamming" not in name
            and "Seq" not in name
        ):
            assert role is Role.DOOR, name
        if name.startswith(("Keyhole", "Puzzle hole")) and "filled" not in name:
            assert role is Role.KEYHOLE and is_on_wall(game, number), name
        # Entities have a wall in front or at their back, not both, and are in the middle of a sector.
        assert not (is_on_wall(game, number) and is_off_wall(game, number)), name
        assert is_of_sector(game, number) or not (is_on_wall(game, number) or is_off_wall(game, number)), name


def test_places_of_switches_and_other_objects_are_known() -> None:
    assert is_on_wall(Game.TR1, 56) and is_under_water(Game.TR1, 56)
    assert not is_on_wall(Game.TR4, 314) and is_on_wall(Game.TR4, 315)  # the first hangs from the ceiling
    assert (
        not is_on_wall(Game.TR4, 316) and role_of(Game.TR4, 316) is Role.SWITCH
    )  # a turn switch is free-standing
    assert is_off_wall(Game.TR1, 40) and not is_off_wall(Game.TR1, 37)  # dart emitters, spikes
    assert is_of_sector(Game.TR1, 48) and not is_of_sector(Game.TR1, 0)  # blocks, Lara
