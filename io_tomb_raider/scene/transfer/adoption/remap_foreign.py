"""Remapping of objects from another level of the scene, or from another file.

Numbers become those of the target game, materials no longer need the pages of the other level, and sounds are
copied. Unsupported data is removed and reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import bpy
from bpy.types import ID, Collection, Material, Mesh, Object, Speaker

from ....catalogue import DRAWN, SKINS, names
from ....formats import Game
from ....formats.base import LARA, T
from ....formats.levels.sounds import most_volume
from ...assets.payload import is_carrier
from ...core.blender import compat
from ...core.membership import Places, level_of, levels, members, members_of
from ...core.reporting.report import Report, first_few
from ...core.space import world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ...core.transfer import Transfer
from ...subjects.animations.transfer import sounds_of
from ...subjects.entities.transfer import entity_type
from ...subjects.models.lara import fit_outfit, helpers_of_outfit
from ...subjects.sounds.for_trx import stores_for_trx
from ...subjects.sounds.of_models import note_sounds
from ...subjects.sounds.sources import show_source, sound_of
from ...subjects.sprites.sequences import NO_SEQUENCE
from ...subjects.textures.shader import game_of_group
from ...subjects.textures.transfer import adopt_materials
from ..engine import move
from ..engine.contents import Piece
from ..engine.copies import copy_model
from ..engine.engine import prepare, remap
from ..engine.ids import library_number
from ..engine.plan import FREE_ID, numbering_of, used_ids
from ..engine.sounds import has_place
from .copy_sounds import copy_sounds, import_payload_sounds, own_copy

_NAMED = 8  # sounds in one warning
_OWN_MESHES = frozenset(
    {*OF_ROOMS, Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH, Kind.SPRITE_TEXTURE, Kind.FIGURE}
)


class Source(NamedTuple):
    """The source of foreign objects."""

    game: Game  #: the game of their level.
    level: Collection | None = None  #: their level, if it is in the scene.
    carrier: Object | None = None  #: the object of an asset with the payload that they need.
    keeps: bool = True  #: whether the source keeps its materials, so that they are copied.


def source_of(root: Collection, obj: Object, objects: Iterable[Object] = ()) -> Source:
    """Return the source of an object.

    Args:
        obj: the object, which may have the payload of an asset.
        objects: other objects of the source, whose materials depend on the game.
    """
    level = level_of(obj)
    if level is not None and level != root:
        return Source(Game[level.tomb_raider.game], level)
    if is_carrier(obj):
        return Source(Game[obj.tomb_raider.game], None, obj, not obj.is_editable)
    return _source(root, int(obj.tomb_raider.origin), objects or [obj])


def _source(root: Collection, origin: int, objects: Iterable[Object]) -> Source:
    level = next((each for each in levels() if each.tomb_raider.origin == origin), None)
    if level is None:
        return Source(_game_of(objects, Game[root.tomb_raider.game]))
    return Source(Game[level.tomb_raider.game], level)


def remap_foreign(root: Collection, foreign: Mapping[Object, int], report: Report) -> None:
    """Remap foreign objects in a level, with their ids.

    Args:
        foreign: the objects, with the former origin of each.
    """
    for origin in dict.fromkeys(foreign.values()):
        source = _source(root, origin, [obj for obj, former in foreign.items() if former == origin])
        # Objects in both levels still belong to the other one.
        kept = set() if source.level is None else set(members(source.level))
        objects = [obj for obj, former in foreign.items() if former == origin and obj not in kept]
        for obj in objects:
            if obj.tomb_raider.kind == Kind.MODEL and source.level is not None:
                _keep_copy(source.level, obj)
        _remap_ids(remap_objects(root, source, objects, report))


def remap_objects(root: Collection, source: Source, objects: Iterable[Object], report: Report) -> Transfer:
    """Remap foreign objects, their materials and sounds for a level, but not their ids in the library."""
    return _Remapping(root, source, list(objects), report).run()


class _Remapping:
    """Remapping of objects of one source."""

    def __init__(self, root: Collection, source: Source, objects: list[Object], report: Report) -> None:
        self._root, self._source, self._objects, self._report = root, source, objects, report
        game = Game[root.tomb_raider.game]
        self._transfer = Transfer(root, source.game, game, report, objects, only_unlinks=True)

    def _is_foreign_mesh(self, data: ID | None) -> bool:
        """Return whether the data of an object is a foreign mesh."""
        return isinstance(data, Mesh) and data.tomb_raider.origin != self._root.tomb_raider.origin

    def _fit_outfit(self) -> None:
        """Give models of Lara and her weapons the meshes that the game draws of them, as conversions do."""
        transfer, source, root = self._transfer, self._source.level, self._root
        models = {int(obj.tomb_raider.model.id): obj for obj in transfer.objects(Kind.MODEL)}
        source_models = {} if source is None else _models_of(source)
        needed = helpers_of_outfit(models, {*source_models, *models}, transfer.source, transfer.target)
        if not needed.union(models).intersection({LARA, *DRAWN[transfer.source]}):
            return
        level_models = {number: obj for number, obj in _models_of(root).items() if obj not in models.values()}
        fit_outfit(
            {**{number: obj for number, obj in source_models.items() if number in needed}, **models},
            transfer.source,
            transfer.target,
            {each: library_number("model", each, transfer.source, transfer.target).exact for each in models},
            self._report,
            changed=models,
            other_body=level_models.get(SKINS.get(transfer.target, LARA), level_models.get(LARA)),
        )

    def run(self) -> Transfer:
        if self._transfer.is_foreign:
            self._fit_outfit()
        meshes = [obj for obj in self._objects if obj.tomb_raider.kind in _OWN_MESHES]
        for obj in meshes:
            # Meshes of the level are kept: undo does not know the copies.
            if self._is_foreign_mesh(obj.data) and _is_shared(obj, self._objects):
                obj.data = obj.data.copy()
        transfer, is_foreign = self._transfer, self._transfer.is_foreign
        for obj in transfer.objects(Kind.LIGHT):
            if obj.data is not None and obj.data.users > 1:
                obj.data = obj.data.copy()
        prepared = prepare(transfer)
        source = self._source.level or self._source.carrier
        adopt_materials(transfer, source, meshes, copies=self._source.keeps)
        self._clear_parents()
        models = transfer.objects(Kind.MODEL)
        sources = transfer.objects(Kind.SOUND_SOURCE)
        self._copy_sounds(models, sources)
        for obj in transfer.objects(Kind.ENTITY) if is_foreign else ():
            mapped, note = entity_type(transfer, int(obj.tomb_raider.entity.type))
            if mapped is not None:
                obj.tomb_raider.entity.type = mapped
                transfer.report.warn_all(obj.name, [note] if note else [])
        for obj in transfer.objects(Kind.TRIGGER):
            trigger = obj.tomb_raider.trigger
            if trigger.room is not None and trigger.room not in members(self._root):
                trigger.room = None  # its location determines the room now
        for obj in transfer.objects(Kind.ENTITY, Kind.MODEL):
            for item in obj.tomb_raider.properties:
                if item.room is not None and item.room not in members(self._root):
                    item.room = None
        if is_foreign or models or sources:
            remap(transfer, prepared)
        note_sounds(self._root, models, bpy.data.actions)
        for obj in transfer.objects(Kind.SOUND_SOURCE):
            if isinstance(obj.data, Speaker) and obj.data.users > 1:
                obj.data = obj.data.copy()  # the data of the other level stays
            show_source(obj, self._root)
        return transfer

    def _copy_sounds(self, models: Sequence[Object], sources: Sequence[Object]) -> None:
        """Copy the needed sounds to the level, and set their numbers."""
        played = sounds_of(models)
        heard = {int(obj.tomb_raider.sound_source.sound) for obj in sources}
        if self._source.level is not None:
            numbers = copy_sounds(self._root, self._source.level, played | heard, self._report)
            self._transfer.numbers["sound"] = numbers
            return
        numbering = numbering_of(self._root, self._source.game, self._report)
        for obj in models:
            import_payload_sounds(self._root, obj, self._source.game, numbering, self._report)
        self._transfer.numbers["sound"] = numbering.numbers["sound"]
        for obj in models:
            self._warn_of_missing_sounds(obj, sounds_of([obj]).difference(numbering.numbers["sound"]))
        for obj in sources:
            number = int(obj.tomb_raider.sound_source.sound)
            mapped = self._transfer.number("sound", number)
            self._add_speaker_sound(obj, number if mapped is None else mapped)

    def _clear_parents(self) -> None:
        """Clear parents outside the level, and keep the world matrices."""
        level_objects = {*members(self._root), *self._objects}
        for obj in self._objects:
            if obj.parent is not None and obj.parent not in level_objects and obj.parent_type == "OBJECT":
                matrix = world_matrix(obj)
                obj.parent = None
                obj.matrix_world = matrix

    def _warn_of_missing_sounds(self, obj: Object, played: Iterable[int]) -> None:
        """Warn about sounds of a model of another file that the level does not have."""
        source_names, present = names(self._source.game), used_ids(self._root).sound
        lacking = [each for each in sorted(played) if self._transfer.number("sound", each) not in present]
        if lacking:
            listed = first_few([source_names.sound(each) for each in lacking], _NAMED)
            text = T("the level has none of the sounds that its animations play: append them")
            self._report.warn(obj.name, T("{text}: {names}", text=text, names=listed))

    def _add_speaker_sound(self, obj: Object, number: int) -> None:
        """Add the sound of a speaker to the level if its number is unused."""
        played = obj.data.sound if isinstance(obj.data, Speaker) else None
        if played is not None and sound_of(self._root, number) is None and has_place(self._root):
            item = self._root.tomb_raider.sounds.details.add()
            item.volume = round(most_volume(self._transfer.target) * min(obj.data.volume, 1.0))
            item.stored_for_trx = stores_for_trx(self._root)
            item.ids.add().number = number
            item.samples.add().sound = own_copy(played)


def _models_of(root: Collection) -> dict[int, Object]:
    """Return the models of a level by id."""
    return {int(obj.tomb_raider.model.id): obj for obj in members_of(root, Kind.MODEL)}


def _keep_copy(source: Collection, model: Object) -> None:
    """Show a copy of a model on the entities of its former level."""
    collections = [entity for entity in model.users_collection if entity.tomb_raider.model == model]
    entities = [entity for entity in members(source) if entity.instance_collection in collections]
    if not entities:
        return
    copy = copy_model(model)
    move.move_model(source, copy, int(model.tomb_raider.model.id), None, Places(source, Kind.MODEL))
    for entity in entities:
        entity.instance_collection = copy


def _remap_ids(transfer: Transfer) -> None:
    """Remap the ids of models and sprite sequences; sequences of the level get no foreign pictures."""
    used = used_ids(transfer.root, set(transfer.moved or ()))
    unknown = []
    for obj in transfer.objects(Kind.MODEL):
        settings = obj.tomb_raider.model
        exact = library_number("model", int(settings.id), transfer.source, transfer.target).exact
        if exact is None and transfer.is_foreign:
            unknown.append(obj)
            continue
        settings.id = settings.id if exact is None else exact  # exports warn about duplicates
        used.model.add(settings.id)
    numbering = numbering_of(transfer.root, transfer.source, transfer.report, FREE_ID, used)
    for obj in unknown:
        settings = obj.tomb_raider.model
        plan = numbering.plan(Piece("model", int(settings.id), obj.name), is_asked=True)
        settings.id = settings.id if plan is None else plan.number
    pictures = transfer.objects(Kind.SPRITE_TEXTURE)
    numbers = {}
    for number in sorted({int(each.tomb_raider.sprite.sequence) for each in pictures} - {NO_SEQUENCE}):
        piece = Piece("sprite", number, names(transfer.source).sprite(number))
        plan = numbering.plan(piece, is_asked=True)
        numbers[number] = number if plan is None else plan.number
    for each in pictures:
        sprite = each.tomb_raider.sprite
        sprite.sequence = numbers.get(int(sprite.sequence), NO_SEQUENCE)


def _is_shared(obj: Object, foreign: Iterable[Object]) -> bool:
    """Return whether another object than the foreign ones uses the mesh of an object."""
    given = set(foreign)
    return any(each.data == obj.data and each not in given for each in bpy.data.objects)


def _game_of(objects: Iterable[Object], other: Game) -> Game:
    """Return the game of objects by the node groups of their materials, or ``other`` if they have none."""
    related = [each for obj in objects for each in (obj, obj.parent) if each is not None]
    collections = [obj.instance_collection for obj in related if obj.instance_collection is not None]
    related += [each for collection in collections for each in collection.objects]
    meshes = (obj.data for obj in related if isinstance(obj.data, Mesh))
    for material in (each for mesh in meshes for each in mesh.materials if each is not None):
        result = _game_of_material(material)
        if result is not None:
            return result
    return other


def _game_of_material(material: Material) -> Game | None:
    tree = compat.used_nodes(material)
    trees = (getattr(node, "node_tree", None) for node in (tree.nodes if tree is not None else ()))
    return next((game for each in trees if each is not None and (game := game_of_group(each))), None)
