"""Assets that were put into a level: what Blender has brought becomes the level's own, also from other games.

Where the level has an object by the same name already, that stands for the asset. What comes is moved over as
an append would; of what is linked, and so belongs to its file, the level gets a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import Collection, Mesh, Object, Speaker

from ....catalogue import names
from ....formats import Game
from ...assets.payload import clear, dependencies_of, is_carrier
from ...core.library import Places
from ...core.members import level_of, levels, members_of
from ...core.report import Report
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ...subjects.entities.shown import shown_models
from ...subjects.sounds.of_models import note_sounds
from ...subjects.sounds.sources import show_source, sound_of
from ...subjects.textures.transfer import adopt_materials
from ..engine import move
from ..engine.contents import Entry
from ..engine.copies import copy_model, mark_as_new
from ..engine.engine import prepare, remap
from ..engine.plan import FREE_ID, SKIP, Arrival, Numbering, Taken, most_sounds, taken_ids
from .copy_sounds import bring_carried
from .room_drop import RoomArrival, own_static_mesh

# Collections in which objects stand in the world. Libraries and cutscenes have objects of their own.
WORLD = frozenset(
    {Kind.LEVEL, Kind.ROOMS, Kind.ROOM, Kind.ENTITIES, Kind.TRIGGERS, Kind.CAMERAS, Kind.SOUNDS}
)
_HOMES: dict[str, str] = {Kind.STATIC_MESH: Kind.STATIC_MESHES, Kind.SPRITE_TEXTURE: Kind.SPRITES}


def bring_assets(root: Collection, homes: Mapping[Object, set[str]], report: Report | None = None) -> bool:
    """Let assets that were put into a level become its own. Tells whether any came.

    Args:
        root: the level.
        homes: its objects, with the kinds of the collections in which each lies.
        report: takes what there is to tell.
    """
    arrivals = _Arrivals(root, report or Report())
    came = arrivals.take_collections()
    return any([arrivals.take(obj, kinds) for obj, kinds in list(homes.items())]) or came


class _Arrivals:
    """Assets on their way into one level."""

    def __init__(self, root: Collection, report: Report) -> None:
        self._root, self._report = root, report
        self._own = set(root.children_recursive)
        self._game = Game[root.tomb_raider.game]
        self._imported = root.tomb_raider.imported

    def take_collections(self) -> bool:
        """Take in models and rooms of other files that were appended or linked as they are. Tells of any."""
        here: set[int] | None = None
        came = False
        for home in [each for each in self._own if each.tomb_raider.kind in (Kind.MODEL, Kind.ROOM)]:
            obj = next(
                (each for each in home.objects if each.tomb_raider.kind == home.tomb_raider.kind), None
            )
            if obj is None or not is_carrier(obj):
                continue
            if here is None:
                here = {each.tomb_raider.origin for each in levels()}
            if obj.tomb_raider.origin in here:
                continue
            parents = [
                each for each in (self._root, *self._root.children_recursive) if home in each.children[:]
            ]
            for parent in parents:
                parent.children.unlink(home)
            is_room = home.tomb_raider.kind == Kind.ROOM
            taken = RoomArrival(self._root, self._report).take(None, home) if is_room else self._bring(home)
            for parent in () if taken else parents:
                parent.children.link(home)
            came |= taken
        if came:
            self._own = set(self._root.children_recursive)
        return came

    def take(self, obj: Object, homes: set[str]) -> bool:
        """Take in what an object is or shows, if that is an asset. Tells whether it was."""
        if homes.isdisjoint(WORLD):
            return False
        settings, shown = obj.tomb_raider, obj.instance_collection
        if shown is not None:
            return self._take_shown(obj, shown)
        if settings.kind not in (Kind.STATIC_MESH, Kind.SPRITE_TEXTURE, Kind.NONE) or not is_carrier(obj):
            return False
        if settings.kind == Kind.STATIC_MESH and _HOMES[Kind.STATIC_MESH] not in homes:
            return self._take_static_mesh(obj)
        if settings.kind == Kind.SPRITE_TEXTURE and _HOMES[Kind.SPRITE_TEXTURE] not in homes:
            return self._take_sprite(obj)
        if settings.kind == Kind.NONE and isinstance(obj.data, Speaker):
            return self._take_sound(obj)
        return False

    def _take_shown(self, obj: Object, shown: Collection) -> bool:
        kind = shown.tomb_raider.kind
        if obj.tomb_raider.kind not in (Kind.NONE, Kind.ENTITY) or shown in self._own or not obj.is_editable:
            return False
        if kind == Kind.ROOM:
            came = RoomArrival(self._root, self._report).take(obj, shown)
        elif kind == Kind.MODEL and is_carrier(shown.tomb_raider.model):
            came = self._take_model(obj, shown)
        else:
            return False
        self._own = set(self._root.children_recursive)
        return came

    def _numbering(self, source: Game, taken: Taken | None = None) -> Numbering:
        taken = taken or taken_ids(self._root)
        return Numbering(source, self._game, taken, SKIP, most_sounds(self._root), self._report)

    def _game_of(self, obj: Object) -> Game:
        return Game[obj.tomb_raider.game] if is_carrier(obj) else self._game

    # --- Models

    def _take_model(self, obj: Object, shown: Collection) -> bool:
        """Let an instance show the level's own model by the same name, or bring the one that it shows."""
        found = self._arrive(shown, SKIP)
        if found is None:
            return False
        arrival, numbering = found
        armature = shown.tomb_raider.model
        number = int(armature.tomb_raider.model.id)
        if arrival is None:
            here = numbering.number("model", number)
            own = shown_models(self._root).get(here)
            if own is not None:
                _show(obj, own, here)
                return True
            found = self._arrive(shown, FREE_ID)  # a sprite has its number
            if found is None or found[0] is None:
                return False
            arrival, numbering = found[0], found[1]
        _show(obj, self._move_model(shown, arrival.number, numbering), arrival.number)
        return True

    def _bring(self, shown: Collection) -> bool:
        """Bring a model that nothing shows yet, by a free number where the level has its own."""
        found = self._arrive(shown, FREE_ID)
        if found is None or found[0] is None:
            return False
        self._move_model(shown, found[0].number, found[1])
        return True

    def _arrive(self, shown: Collection, way: str) -> tuple[Arrival | None, Numbering] | None:
        """Return how a model is brought, None in it where the level's own stays; None where it cannot be."""
        armature = shown.tomb_raider.model
        if "MODELS" not in self._imported or armature is None or level_of(armature) is not None:
            return None
        source, number = self._game_of(armature), int(armature.tomb_raider.model.id)
        numbering = self._numbering(source)
        piece = Entry("model", number, names(source).model(number))
        return numbering.arrive(piece, is_asked=False, way=way), numbering

    def _move_model(self, shown: Collection, number: int, numbering: Numbering) -> Collection:
        """Move a model over, or a copy of one that is linked; return its collection."""
        armature = shown.tomb_raider.model
        source = self._game_of(armature)
        is_linked = not armature.is_editable
        home = copy_model(armature) if is_linked else shown
        if home.asset_data is not None:
            home.asset_clear()
        come = home.tomb_raider.model
        if is_linked:
            mark_as_new(home.objects)
        transfer = self._transfer(source, list(home.objects), numbering)
        adopt_materials(transfer, armature, home.objects, copies=is_linked)
        move.move_model(self._root, home, number, None, Places(self._root, Kind.MODEL))
        bring_carried(self._root, armature, source, numbering, self._report)
        remap(transfer, prepare(transfer))
        clear(come)
        note_sounds(self._root, [come])
        return home

    def _transfer(self, source: Game, moved: list[Object], numbering: Numbering | None = None) -> Transfer:
        numbers = {} if numbering is None else numbering.numbers
        return Transfer(self._root, source, self._game, self._report, moved, numbers, only_unlinks=True)

    # --- Static meshes, sprites, sounds

    def _take_static_mesh(self, obj: Object) -> bool:
        if "STATIC_MESHES" not in self._imported or not isinstance(obj.data, Mesh):
            return False
        transfer = self._transfer(self._game_of(obj), [obj])
        self._stand_for(obj, own_static_mesh(transfer, obj).data)
        return True

    def _take_sprite(self, obj: Object) -> bool:
        if "SPRITES" not in self._imported:
            return False
        source, number = self._game_of(obj), int(obj.tomb_raider.sprite.sequence)
        taken = taken_ids(self._root)
        if not self._has_pictures(number, obj):
            taken.sprite.discard(number)  # which the asset itself has
        numbering = self._numbering(source, taken)
        arrival = numbering.arrive(Entry("sprite", number, names(source).sprite(number)), is_asked=False)
        if arrival is not None:
            pictures = []
            is_linked = not obj.is_editable
            for each in (obj, *dependencies_of(obj)):
                made: Any = each.copy()
                made.data = each.data.copy() if is_linked and each.data is not None else each.data
                pictures.append(made)
            mark_as_new(pictures)
            transfer = self._transfer(source, pictures)
            adopt_materials(transfer, obj, pictures, copies=is_linked)
            remap(transfer, prepare(transfer))
            places = Places(self._root, Kind.SPRITE_TEXTURE)
            move.move_sprites(self._root, pictures, arrival.number, [], places)
            for made in pictures:
                made.rotation_euler.zero()
                self._settle(made)
        pictures = self._has_pictures(numbering.number("sprite", number), obj)
        if not pictures:
            return False  # a model has its number
        self._stand_for(obj, pictures[0].data)
        return True

    def _has_pictures(self, number: int, obj: Object) -> list[Object]:
        """Return the pictures of a sprite that the level has beside an asset, in their order."""
        found = [
            each
            for each in members_of(self._root, Kind.SPRITE_TEXTURE)
            if each is not obj and each.tomb_raider.sprite.sequence == number
        ]
        return sorted(found, key=lambda each: int(each.tomb_raider.sprite.place))

    def _take_sound(self, obj: Object) -> bool:
        details = obj.tomb_raider.sounds.details
        if "SOUNDS" not in self._imported or "SOUND_SOURCES" not in self._imported or not len(details):
            return False
        number = int(details[0].ids[0].number)
        game = self._game_of(obj)
        numbering = self._numbering(game)
        bring_carried(self._root, obj, game, numbering, self._report)
        here = numbering.number("sound", number)
        if sound_of(self._root, here) is None:
            return False  # told
        source = self._stand_for(obj, obj.data)
        settings = source.tomb_raider
        settings.kind, settings.index, settings.origin = Kind.SOUND_SOURCE, -1, self._root.tomb_raider.origin
        settings.sound_source.sound = here
        show_source(source, self._root)
        return True

    def _stand_for(self, obj: Object, data: object) -> Object:
        """Let an object that was an asset be a plain one that shows something of the level."""
        found: Any = obj
        if not obj.is_editable:
            found = obj.copy()
            found.data = data.copy() if isinstance(data, Speaker) else data
            for home in obj.users_collection:
                home.objects.link(found)
                home.objects.unlink(obj)
        elif found.data is not data:
            found.data = data
        self._settle(found)
        found.tomb_raider.kind, found.tomb_raider.index = Kind.NONE, -1
        found.tomb_raider.origin = self._root.tomb_raider.origin
        return found

    @staticmethod
    def _settle(obj: Object) -> None:
        """Take the marks of an asset from an object."""
        if obj.asset_data is not None:
            obj.asset_clear()
        clear(obj)


def _show(obj: Object, model: Collection, number: int) -> None:
    obj.instance_collection = model
    if obj.tomb_raider.kind == Kind.ENTITY:
        obj.tomb_raider.entity.type = number
