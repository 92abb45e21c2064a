"""A level of four rooms, built by the extension's operators as a user builds one.

In sectors, from above; y is north:

    y 55..58      store: after a door, with a secret and the end of the level
    y 48..54      home (x 48..54) with a block, hall (x 54..61) with a slope in the east
    below         a pool under the hall (x 55..58, y 49..52), whose surface is drawn in both
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Collection, Object

from io_tomb_raider.catalogue.pickups import is_pickup
from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.new.objects import choices
from tests.scene.authoring.split_into_rooms.air_meshes import SIDE
from tests.scene.scenes import objects
from tests.scene.subjects.collision.collision_meshes import FLOOR, EditMode

from .meshes import chamber, raise_floor, surfaces

SUFFIXES = {game: game.traits.suffix for game in Game}
BLOCK, BLOCK_CLICKS = (2, 5), 2  # in the home, whose first sector is a wall
_ANY = re.compile("")
_DOOR = re.compile("^(?!.*trapdoor)", re.IGNORECASE)
_SWITCH = re.compile(r"^(small )?(wall )?switch( \d+)? |^push button", re.IGNORECASE)
_MEDIPACK = re.compile(r"medipack", re.IGNORECASE)


class LevelBuilder:
    """A level under construction. Parts that the kit does not have are left out, and named in ``missing``."""

    def __init__(self, game: Game, kit: Path) -> None:
        self.game = game
        self.missing: list[str] = []
        _run(bpy.ops.tomb_raider.new_level, game=game.name, kit=str(kit), level_name=f"New {game.name}")
        levels = (each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
        self.root: Collection = next(levels)
        self.home = next(each for each in self.root.all_objects if each.tomb_raider.kind == "ROOM")

    def build(self) -> Collection:
        """Build the level, and return its root collection."""
        self.make_rooms()
        _run(bpy.ops.tomb_raider.connect_all)
        self.pull_block()
        self.add_lights()
        self.add_door()
        self.add_enemy()
        self.add_secret()
        self.add_end()
        _run(bpy.ops.tomb_raider.bake_light, rays="1")
        return self.root

    # --- Rooms

    def make_rooms(self) -> None:
        """Make rooms of plain meshes."""
        mesh: Any = self.home.data
        pattern = mesh.materials[0]
        sand = surfaces("Sand", (0.75, 0.62, 0.40), pattern)
        hall = chamber("Hall", (54, 48, 0), (7, 6, 4), sand)
        raise_floor(hall, 58, 0.25, 0.5)
        pool = chamber("Pool", (55, 49, -2), (3, 3, 2), surfaces("Pool", (0.35, 0.60, 0.70), pattern))
        # A passage of one sector that leads to a chamber.
        brick = surfaces("Store", (0.60, 0.45, 0.35), pattern)
        store = chamber("Store", (49, 54, 0), (3, 4, 1), brick, without=_BESIDE_PASSAGE)
        for obj in (hall, pool, store):
            select(obj)
            _run(bpy.ops.tomb_raider.make_room)
        settings: Any = pool.tomb_raider
        settings.room.has_water = True

    def pull_block(self) -> None:
        """Draw the first room from its sectors, and pull a block out of its floor."""
        select(self.home)
        _run(bpy.ops.tomb_raider.room_from_sectors)
        number = [each.parent for each in objects(self.root, "COLLISION")].index(self.home)
        with EditMode(self.root, number, (FLOOR, BLOCK)) as mode:
            _run(bpy.ops.tomb_raider.raise_sectors, clicks=BLOCK_CLICKS)
        mode.layer.exclude = True  # as before: pictures show visible collections

    def add_lights(self) -> None:
        """Add a light to every room without one."""
        for place in ((59.5, 49.5, 2), (56.5, 50.5, -1.5), (50.5, 56.5, 0.5)):
            self.add("LIGHT", "POINT", place)

    # --- Gameplay

    def add_door(self) -> None:
        """Close the passage by a door, which a switch at the wall next to it opens permanently."""
        door, switch = self.find("DOOR", "a door", _DOOR), self.find("SWITCH", "a switch", _SWITCH)
        if door and switch:
            self.add("DOOR", door, (50.5, 54.5, 0.25))
            # The new door is selected, so that the trigger of the switch opens it.
            self.add("SWITCH", switch, (52.5, 53.9, 0.25))

    def add_enemy(self) -> None:
        """Add an enemy at the end of the slope, which wakes when Lara enters."""
        enemy = self.find("ENEMY", "an enemy")
        if enemy:
            obj = self.add("ENEMY", enemy, (60.5, 53.5, 1))
            self.trigger((54.5, 51.5, 0), obj).one_shot = True

    def add_secret(self) -> None:
        """Add a pickup and a secret trigger after the door."""
        found = [each for each in choices(self.root, "PICKUP") if is_pickup(self.game, int(each.identifier))]
        found.sort(key=lambda each: _MEDIPACK.search(each.label) is None)
        if not found:
            self.missing.append("a pickup")
        else:
            self.add("PICKUP", found[0].identifier, (49.5, 57.5, 0.25))
        self.trigger((49.5, 57.5, 0), None, "SECRET").one_shot = True

    def add_end(self) -> None:
        """Add a trigger that ends the level in the last corner."""
        self.trigger((51.5, 57.5, 0), None, "END_LEVEL")

    def find(self, kind: str, what: str, name: re.Pattern[str] = _ANY) -> str:
        """Return the first type of entity of a kind in the kit, or ''."""
        for each in choices(self.root, kind):
            if name.search(each.label):
                return each.identifier
        self.missing.append(what)
        return ""

    def add(self, kind: str, choice: str, place: tuple[float, float, float]) -> Object:
        """Add an object at a place in sectors."""
        scene: Any = bpy.context.scene
        scene.cursor.location = [each * SIDE for each in place]
        _run(bpy.ops.tomb_raider.add_thing, kind=kind, choice=choice)
        obj = bpy.context.object
        assert obj is not None
        return obj

    def trigger(self, place: tuple[float, float, float], target: Object | None, action: str = "") -> Any:
        """Add a trigger at a place in sectors, and return its settings."""
        select(*([] if target is None else [target]))
        scene: Any = bpy.context.scene
        scene.cursor.location = [each * SIDE for each in place]
        _run(bpy.ops.tomb_raider.add_trigger)
        if action:
            _run(bpy.ops.tomb_raider.add_trigger_action, kind=action)
        obj: Any = bpy.context.object
        return obj.tomb_raider.trigger


_FIRST, _LAST, _ALL = slice(0, 1), slice(-1, None), slice(None)
_BESIDE_PASSAGE = ((_FIRST, _FIRST, _ALL), (_LAST, _FIRST, _ALL))


def select(*objects: Object) -> None:
    """Select only these objects; the first one becomes active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    layer: Any = bpy.context.view_layer
    layer.objects.active = objects[0] if objects else None


def _run(operator: Any, **options: Any) -> None:
    """Run an operator, and assert that it finishes. Its errors are raised as RuntimeError."""
    if operator(**options) != {"FINISHED"}:
        raise RuntimeError(f"{operator.idname()} did nothing")
