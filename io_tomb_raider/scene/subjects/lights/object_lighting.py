"""Lighting of objects in rooms, computed as in the games and stored on each object.

The nodes of materials read it from there (:mod:`..textures.light_nodes`), so it works in every render engine
and updates at once. Nothing of it is exported: it depends on lights, rooms and objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

from bpy.types import Collection, Mesh, Object
from mathutils import Matrix, Vector

from ....formats import ExportError, Game
from ....formats.base import FULL_RGB555, LARA, put_tint
from ....formats.levels.lights import (
    LAMPS,
    Lamp,
    LightSource,
    Shading,
    Triple,
    absorbed,
    room_brightness,
    shade_by_value,
    shade_entity,
    source_of,
)
from ...core.blender.color import to_screen
from ...core.membership import LevelObjects, levels, members
from ...core.space import Space, world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ..rooms.location.scene_rooms import SceneRooms
from ..textures.light_nodes import NORMAL_ATTRIBUTE
from .fog import distance_of
from .light_sync import objects_with, typed_values

_LIT_KINDS = (Kind.ENTITY, Kind.PLACEMENT, Kind.SPRITE)
_GUIDES = (Kind.PORTAL, Kind.COLLISION, Kind.TRIGGER, Kind.BOXES, Kind.LIGHT)  # with separate materials
_COLOR = "Color"
_NEUTRAL = 128 / 255  # the vertex light of sprites, which have none in files
_TORSO = (0.0, -512.0, 0.0)  # of Lara standing, in the file's units
_SAME = 1e-5  # of displayed values; for positions relative to the distance
_FAR = 1e6  # Blender's units
_MARGIN = 256  # units that objects may extend out of their room


# The room of each light at its last update, by session uid: when a light moves, that room gets darker.
_rooms_of_lights: dict[int, int] = {}
# The objects whose light was changed, and lights that moved to another room, by session uid.
_relit: set[int] = set()


def light_level(root: Collection, objects: LevelObjects | None = None, *, is_new: bool = False) -> None:
    """Light everything in a level; a new one was never lit or evaluated."""
    level = LitLevel(root, objects, is_new=is_new)
    level.light_library()
    for kind in (*OF_ROOMS, *_LIT_KINDS):
        for obj in level.objects.get(kind, ()):
            level.light(obj)


def light_again(changed: Iterable[Object]) -> list[Collection]:
    """Light changed objects and those affected; return the levels with changed rooms, or light in rooms."""
    by_origin = {root.tomb_raider.origin: root for root in levels()}
    by_root: dict[Collection, list[Object]] = {}
    result = []
    for obj in changed:
        root = by_origin.get(obj.tomb_raider.origin)
        if root is not None:
            by_root.setdefault(root, []).append(obj)
    for root, objects in by_root.items():
        level = LitLevel(root)
        rooms, changed_objects = level.rooms_lit_by(objects), set(objects)
        for obj in objects:
            level.light(obj)
        for kind in (Kind.IMPORTED_GEOMETRY, *_LIT_KINDS) if rooms else ():
            for obj in level.objects.get(kind, ()):
                if obj not in changed_objects and level.known_room_of(obj) in rooms:
                    level.light(obj)
        result += [root] if rooms else []
    return result


def light_restored() -> None:
    """Light objects after undo or redo, which may restore a step without the changes of light that it caused.

    Only those whose light was ever changed: that of all others is the same in every step.
    """
    objects = objects_with(_relit)
    if objects:
        light_again(objects)


class LitLevel:
    """A level whose objects are lit."""

    def __init__(
        self, root: Collection, objects: LevelObjects | None = None, *, is_new: bool = False
    ) -> None:
        self._root, self._is_new = root, is_new
        self.game = Game[root.tomb_raider.game]  #: its game.
        self._space = Space.of(root)
        self._distance = tuple(distance_of(root))
        self._lit_models: dict[Collection, bool] = {}
        self._absorbing: dict[Object, tuple[float, float, float]] = {}
        self._placements: dict[Object, tuple[Matrix, Object | None]] = {}
        self._sources: dict[Object, list[LightSource]] = {}
        self.objects: dict[str, list[Object]] = {}  #: its objects by kind.
        self._kinds = (objects or LevelObjects(root)).kinds
        for obj, kind in self._kinds.items():
            self.objects.setdefault(kind, []).append(obj)

    def light(self, obj: Object) -> None:
        """Store the lighting of an object."""
        kind = self._kind(obj)
        if kind == Kind.LIGHT:
            return
        try:
            room = obj if kind == Kind.ROOM else self.room_of(obj)
            shading = None if room is None or kind in OF_ROOMS else self._shading(obj, kind, room)
        except ExportError:  # it is in no room, which exports report
            return
        values: dict[str, tuple[float, ...]] = {"absorbed": (0.0,) * 3, "ambient": (0.0,) * 4}
        values["distance"] = self._distance
        values["has_own"] = (float(self._has_own_light(obj)),)
        if room is not None:
            values["absorbed"] = self._absorbed(room)
        if shading is not None:
            values["ambient"] = (*shading.ambient, 1.0)
            for number in range(LAMPS[self.game]):
                lamp = shading.lamps[number] if number < len(shading.lamps) else None
                position, color = self._lamp_values(lamp, obj)
                values[f"place_{number + 1}"], values[f"color_{number + 1}"] = position, color
        self._store(obj, values)

    def _kind(self, obj: Object) -> str:
        return self._kinds.get(obj) or obj.tomb_raider.kind

    def light_library(self) -> None:
        """Store on library meshes, which are in no room, whether they have light."""
        kinds = [kind for kind in self.objects if kind not in (*OF_ROOMS, *_LIT_KINDS, *_GUIDES)]
        for obj in (each for kind in kinds for each in self.objects[kind] if each.type == "MESH"):
            has_own = len(obj.data.color_attributes) > 0
            # Reading a property group creates it.
            if has_own or (not self._is_new and obj.tomb_raider.is_property_set("lit")):
                self._store(obj, {"has_own": (float(has_own),)})

    def _has_own_light(self, obj: Object) -> bool:
        """Return whether an object's meshes have light or normals; without them textures are shown unlit."""
        model = obj.instance_collection
        if model is None:
            return _mesh_has_light(obj.data)
        if model not in self._lit_models:
            meshes = [part.data for part in members(model) if isinstance(part.data, Mesh)]
            self._lit_models[model] = all(_mesh_has_light(mesh) or _mesh_has_normals(mesh) for mesh in meshes)
        return self._lit_models[model]

    def _store(self, obj: Object, values: dict[str, tuple[float, ...]]) -> None:
        """Set changed values only, because Blender evaluates changed objects again."""
        settings = obj.tomb_raider
        if not self._is_new and settings.is_property_set("lit"):
            lit = settings.lit
            changed = {name: value for name, value in values.items() if _differ(getattr(lit, name)[:], value)}
        else:  # all values are zero, which is faster to compare
            lit = settings.lit
            changed = {name: value for name, value in values.items() if any(value)}
        for name, value in changed.items():
            setattr(lit, name, value)
        if changed and not self._is_new:
            obj.update_tag(refresh={"OBJECT"})
            _relit.add(obj.session_uid)

    def _absorbed(self, room: Object) -> tuple[float, float, float]:
        if room not in self._absorbing:
            self._absorbing[room] = absorbed(self.game, is_water=room.tomb_raider.room.has_water)
        return self._absorbing[room]

    def _lamp_values(self, lamp: Lamp | None, obj: Object) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the stored values of a lamp: position or direction in Blender's axes, and the color."""
        if lamp is None:
            return (0.0,) * 4, (0.0,) * 4
        color = (*lamp.color, float(lamp.is_soft))
        if lamp.place is None and not self.game.traits.has_light_ranges:
            return (*_to_blender(lamp.direction), 0.0), color
        if lamp.place is None:  # so far away that its direction is constant
            far = obj.location + Vector(_to_blender(lamp.direction)) * _FAR
            return (*far, _FAR * _FAR), color
        position, scale = _to_blender(lamp.place), self._space.scale
        return (*(part * scale for part in position), lamp.reach * scale), color

    # Rooms and their lights

    def rooms_lit_by(self, objects: Iterable[Object]) -> set[Object]:
        """Return the changed rooms, and the rooms that changed lights light or lit before."""
        result = set()
        by_number = {room.session_uid: room for room in self._rooms.rooms}
        for obj in objects:
            if obj.tomb_raider.kind == Kind.ROOM:
                result.add(obj)
            elif obj.tomb_raider.kind == Kind.LIGHT:
                now = self.known_room_of(obj)
                before = by_number.get(_rooms_of_lights.get(obj.session_uid, 0))
                if before is not None:
                    result.add(before)
                    if before != now:
                        _relit.add(obj.session_uid)
                if now is not None:
                    result.add(now)
                    _rooms_of_lights[obj.session_uid] = now.session_uid
        return result

    @cached_property
    def _rooms(self) -> SceneRooms:
        return SceneRooms(
            self._root, [*self.objects.get(Kind.ROOM, ()), *self.objects.get(Kind.COLLISION, ())]
        )

    def room_of(self, obj: Object) -> Object | None:
        """Return the room of an object: the assigned one, unless the object was moved out of it."""
        return self._placement(obj)[1]

    def known_room_of(self, obj: Object) -> Object | None:
        """Return the room of an object, or None if it is in none, which exports report."""
        try:
            return self.room_of(obj)
        except ExportError:
            return None

    def _placement(self, obj: Object) -> tuple[Matrix, Object | None]:
        """Return the world matrix of an object and its room, cached."""
        result = self._placements.get(obj)
        if result is None:
            matrix = world_matrix(obj)
            result = self._placements[obj] = matrix, self._room_at(obj, matrix.translation)
        return result

    def _room_at(self, obj: Object, position: Vector) -> Object | None:
        """Return the room of an object at a position."""
        chosen = obj.tomb_raider.entity.room if self._kind(obj) == Kind.ENTITY else obj.parent
        if self._rooms.holds(chosen, position, _MARGIN):
            return chosen
        room = self._rooms.find(position)
        return chosen if room is None and chosen in self._rooms.numbers else room

    @cached_property
    def _lights(self) -> dict[Object, list[Object]]:
        """The lights of each room."""
        result: dict[Object, list[Object]] = {}
        for obj in self.objects.get(Kind.LIGHT, ()):
            room = self._placement(obj)[1]
            if room is not None:
                _rooms_of_lights.setdefault(obj.session_uid, room.session_uid)
                result.setdefault(room, []).append(obj)
        return result

    def _sources_in(self, room: Object) -> list[LightSource]:
        """Return the sources of light of a room, cached."""
        if room not in self._sources:
            lights = [
                (obj, self._to_file(self._placement(obj)[0].translation))
                for obj in self._lights.get(room, ())
            ]
            sources = (
                source_of(self.game, typed_values(self.game, obj.tomb_raider.light), place)
                for obj, place in lights
            )
            self._sources[room] = [source for source in sources if source is not None]
        return self._sources[room]

    def _to_file(self, point: Vector) -> Triple:
        x, y, z = point
        scale = self._space.scale
        return x / scale, -z / scale, y / scale

    # Light on objects

    def _shading(self, obj: Object, kind: str, room: Object) -> Shading | None:
        if kind == Kind.SPRITE:
            return self._on_sprite(obj, room)
        if kind == Kind.PLACEMENT:
            return self._by_value(self._placement_value(obj), room, _mesh_has_normals(obj.data))
        value = obj.tomb_raider.entity.intensity
        if isinstance(obj.data, Mesh):
            return self._on_picture(value)
        collection = obj.instance_collection
        if collection is None:
            return None
        # Bit 15 is the sign; some tools omit it.
        if value >= 0 and value <= 0x7FFF:
            return self._by_value(value, room, _model_has_normals(collection))
        return self._by_room(obj, room)

    def _by_room(self, obj: Object, room: Object) -> Shading:
        number = int(obj.tomb_raider.entity.type)
        armature = obj.instance_collection.tomb_raider.model
        sample = Vector() if armature is None else Vector(armature.tomb_raider.model.middle)
        if number == LARA and self.game.traits.has_light_types:
            sample = Vector(self._space.to_blender(_TORSO).tolist())
        elif self.game.traits.lights_origins:
            sample = Vector()
        position = self._to_file(self._placement(obj)[0] @ sample)
        return shade_entity(self.game, self._ambient(room), self._sources_in(room), position, number)

    def _ambient(self, room: Object) -> Any:
        settings = room.tomb_raider.room
        return tuple(settings.color[:3]) if self.game.traits.has_room_color else int(settings.ambient)

    def _placement_value(self, obj: Object) -> int:
        settings = obj.tomb_raider.placement
        if not self.game.traits.has_color_light:
            return int(settings.intensity)
        red, green, blue = (round(part * FULL_RGB555) for part in settings.color)
        return put_tint(0, (red, green, blue))

    def _by_value(self, value: int, room: Object, has_normals: bool) -> Shading:
        """Return the light for a value of the object; in TR4 and TR5 meshes without light have the room's."""
        if has_normals and self.game.traits.has_room_color:
            return Shading(self._ambient(room))
        return shade_by_value(self.game, value)

    def _on_picture(self, value: int) -> Shading | None:
        """Return the light on an entity that is a sprite: its value, or full light."""
        if self.game.traits.has_color_light:
            return None
        return self._as_own((room_brightness(max(value, 0)),) * 3)

    def _on_sprite(self, obj: Object, room: Object) -> Shading | None:
        """Return the light on a sprite of a room: that of its vertex."""
        colors: Any = room.data.attributes.get(_COLOR) if isinstance(room.data, Mesh) else None
        vertex = obj.tomb_raider.sprite.vertex
        if colors is None or colors.domain != "POINT" or not 0 <= vertex < len(colors.data):
            return None
        return self._as_own(_on_screen(colors.data[vertex].color[:3]))

    def _as_own(self, brightness: Triple) -> Shading:
        """Return the shading for a brightness of sprites, whose vertices have neutral light."""
        red, green, blue = brightness
        if self.game.traits.has_color_light:
            return Shading((red / _NEUTRAL, green / _NEUTRAL, blue / _NEUTRAL))
        return Shading((red + 1 - _NEUTRAL, green + 1 - _NEUTRAL, blue + 1 - _NEUTRAL))


@lru_cache(maxsize=1024)  # most vertices of a level have one of a few colors
def _on_screen(color: Triple) -> Triple:
    red, green, blue = to_screen(color).tolist()
    return red, green, blue


def _to_blender(vector: Triple) -> Triple:
    """Convert a position or direction from the file's to Blender's axes, without scaling."""
    x, y, z = vector
    return x, z, -y


def _differ(stored: tuple[float, ...], values: tuple[float, ...]) -> bool:
    if stored == values:
        return False
    # A loop, because a generator takes twice as long, and an undo compares all values of a file.
    for old, new in zip(stored, values, strict=True):  # noqa: SIM110
        if abs(old - new) > _SAME * max(abs(new), 1.0):
            return True
    return False


def _mesh_has_normals(mesh: object) -> bool:
    return isinstance(mesh, Mesh) and NORMAL_ATTRIBUTE in mesh.attributes


def _mesh_has_light(mesh: object) -> bool:
    return isinstance(mesh, Mesh) and len(mesh.color_attributes) > 0


def _model_has_normals(collection: Collection) -> bool:
    """Return whether the first mesh of a model has normals."""
    meshes = (obj.data for obj in members(collection) if isinstance(obj.data, Mesh))
    return any(map(_mesh_has_normals, list(meshes)[:1]))
