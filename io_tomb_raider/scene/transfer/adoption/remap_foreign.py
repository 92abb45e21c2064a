"""What has come from another level of the scene, or from another file, becomes of its new level.

Numbers become those by which the level's game calls the same, materials show what they did without the other
level's pages, and sounds come along. What the game has no word for is taken out, and told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import bpy
from bpy.types import ID, Collection, Material, Mesh, Object, Speaker

from ....catalogue import names
from ....formats import Game
from ....formats.sounds.details import most_volume
from ...core import compat
from ...core.library import Places
from ...core.members import levels, members, members_of
from ...core.report import Report, first_few
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ...subjects.animations.transfer import sounds_of
from ...subjects.entities.transfer import entity_type
from ...subjects.sounds.of_models import note_sounds
from ...subjects.sounds.sources import show_source, sound_of
from ...subjects.textures.shader import game_of_group
from ...subjects.textures.transfer import adopt_materials
from ..engine import move
from ..engine.contents import Entry
from ..engine.copies import copy_model
from ..engine.engine import prepare, remap
from ..engine.ids import library_number
from ..engine.plan import FREE_ID, Numbering, most_sounds, taken_ids
from .copy_sounds import bring_carried, has_place, lend_sounds, numbering_of, own_copy

_NAMED = 8  # sounds in one warning
_OWN_MESHES = frozenset({Kind.ROOM, Kind.MODEL_MESH, Kind.STATIC_MESH, Kind.SPRITE_TEXTURE, Kind.FIGURE})


def remap_foreign(root: Collection, guests: Mapping[Object, int], report: Report) -> None:
    """Settle objects of other levels in a level.

    Args:
        root: the level.
        guests: what has come, with the origin that each had.
        report: takes what is lost, or is another now.
    """
    for origin in dict.fromkeys(guests.values()):
        source = next((each for each in levels() if each.tomb_raider.origin == origin), None)
        # What lies in both levels is the other one's, too, and stays as it is there.
        kept = set() if source is None else set(members(source))
        objects = [obj for obj, own in guests.items() if own == origin and obj not in kept]
        _Settling(root, source, objects, report).run()


class _Settling:
    """Objects of one other level on their way."""

    def __init__(
        self, root: Collection, source: Collection | None, objects: list[Object], report: Report
    ) -> None:
        self._root, self._source, self._objects, self._report = root, source, objects, report
        self._game = Game[root.tomb_raider.game]
        self._from = game_of(objects, self._game) if source is None else Game[source.tomb_raider.game]
        self._is_other = self._from is not self._game
        self._transfer = Transfer(root, self._from, self._game, report, objects, only_unlinks=True)

    def _is_others(self, data: ID | None) -> bool:
        """Tell whether what shows an object is no mesh of the level's own; one that says nothing is none."""
        return isinstance(data, Mesh) and data.tomb_raider.origin != self._root.tomb_raider.origin

    def run(self) -> None:
        for obj in self._objects:
            if obj.tomb_raider.kind == Kind.MODEL and self._source is not None:
                self._leave_copy(self._source, obj)
        meshes = [obj for obj in self._objects if obj.tomb_raider.kind in _OWN_MESHES]
        for obj in meshes:
            # What is the level's own stays: exports adopt, too, and undo does not know what they make.
            if self._is_others(obj.data) and _is_shared(obj, self._objects):
                obj.data = obj.data.copy()
        for obj in self._transfer.objects(Kind.LIGHT):
            if obj.data is not None and obj.data.users > 1:
                obj.data = obj.data.copy()
        transfer, prepared = self._transfer, prepare(self._transfer)
        adopt_materials(transfer, self._source, meshes, copies=True)
        self._stand_alone()
        models = transfer.objects(Kind.MODEL)
        sources = transfer.objects(Kind.SOUND_SOURCE)
        self._copy_sounds(models, sources)
        for obj in models if self._is_other else ():
            settings = obj.tomb_raider.model
            settings.id = self._model_id(obj, int(settings.id))
        for obj in transfer.objects(Kind.ENTITY) if self._is_other else ():
            known, note = entity_type(transfer, int(obj.tomb_raider.entity.type))
            if known is not None:
                obj.tomb_raider.entity.type = known
                transfer.report.warn_all(obj.name, [note] if note else [])
        for obj in transfer.objects(Kind.TRIGGER):
            trigger = obj.tomb_raider.trigger
            if trigger.room is not None and trigger.room not in members(self._root):
                trigger.room = None  # from now on its place says in which room it is
        if self._is_other or models or sources:
            remap(transfer, prepared)
        note_sounds(self._root, models, bpy.data.actions)
        for obj in transfer.objects(Kind.SOUND_SOURCE):
            if isinstance(obj.data, Speaker) and obj.data.users > 1:
                obj.data = obj.data.copy()  # the other level's is shown as that has it
            show_source(obj, self._root)
        self._sprites(transfer.objects(Kind.SPRITE_TEXTURE))

    def _copy_sounds(self, models: Sequence[Object], sources: Sequence[Object]) -> None:
        """Copy the sounds that come along to the level, and note by which numbers it has them."""
        played = sounds_of(models)
        heard = {int(obj.tomb_raider.sound_source.sound) for obj in sources}
        if self._source is not None:
            numbers = lend_sounds(self._root, self._source, played | heard, self._report)
            self._transfer.numbers["sound"] = numbers
            return
        numbering = numbering_of(self._root, self._from, self._report)
        for obj in models:
            bring_carried(self._root, obj, self._from, numbering, self._report)
        self._transfer.numbers["sound"] = numbering.numbers["sound"]
        for obj in models:
            self._tell_of_sounds(obj, sounds_of([obj]).difference(numbering.numbers["sound"]))
        for obj in sources:
            number = int(obj.tomb_raider.sound_source.sound)
            known = self._transfer.number("sound", number)
            self._bring_sound(obj, number if known is None else known)

    def _stand_alone(self) -> None:
        """Let objects stand where they do without the rooms of the other level that they hang on."""
        own = set(members(self._root))
        for obj in self._objects:
            if obj.parent is not None and obj.parent not in own and obj.parent_type == "OBJECT":
                matrix = world_matrix(obj)
                obj.parent = None
                obj.matrix_world = matrix

    def _leave_copy(self, source: Collection, obj: Object) -> None:
        """Let entities of the other level that show a model have a copy of it, as it was there."""
        homes = [each for each in obj.users_collection if each.tomb_raider.model == obj]
        shown = [each for each in members(source) if each.instance_collection in homes]
        if not shown:
            return
        home = copy_model(obj)
        move.move_model(source, home, int(obj.tomb_raider.model.id), None, Places(source, Kind.MODEL))
        for each in shown:
            each.instance_collection = home

    def _tell_of_sounds(self, obj: Object, played: Iterable[int]) -> None:
        """Say which sounds of a model of another file the level has not: they stand in that file's level."""
        called, own = names(self._from), taken_ids(self._root).sound
        lacking = [each for each in sorted(played) if self._transfer.number("sound", each) not in own]
        if lacking:
            listed = first_few([called.sound(each) for each in lacking], _NAMED)
            text = "the level has none of these sounds, which its animations play: append them"
            self._report.warn(obj.name, f"{text}: {listed}")

    def _model_id(self, obj: Object, number: int) -> int:
        """Return by which id the game knows a model; a free one where it calls something else so."""
        taken = taken_ids(self._root)
        own = [each for each in members_of(self._root, Kind.MODEL) if each != obj]
        taken = taken._replace(model={each.tomb_raider.model.id for each in own})
        numbering = Numbering(self._from, self._game, taken, FREE_ID, most_sounds(self._root), self._report)
        piece = Entry("model", number, obj.name)
        known = library_number("model", number, self._from, self._game).exact
        if known is not None:
            return known  # where the level has that, an export tells so
        arrival = numbering.arrive(piece, is_asked=True)
        return number if arrival is None else arrival.number

    def _bring_sound(self, obj: Object, number: int) -> None:
        """Let the level have a sound by a number, where it has none: what a speaker plays."""
        played = obj.data.sound if isinstance(obj.data, Speaker) else None
        if played is not None and sound_of(self._root, number) is None and has_place(self._root):
            item = self._root.tomb_raider.sounds.details.add()
            item.volume = round(most_volume(self._game) * min(obj.data.volume, 1.0))
            item.ids.add().number = number
            item.samples.add().sound = own_copy(played)

    def _sprites(self, pictures: list[Object]) -> None:
        """Give sequences that the level has, too, numbers of their own: else it had more pictures."""
        guests = set(pictures)
        own = [each for each in members_of(self._root, Kind.SPRITE_TEXTURE) if each not in guests]
        taken = {each.tomb_raider.sprite.sequence for each in own}
        ids = taken_ids(self._root)._replace(sprite=taken)
        numbering = Numbering(self._from, self._game, ids, FREE_ID, most_sounds(self._root), self._report)
        for number in sorted({int(each.tomb_raider.sprite.sequence) for each in pictures} - {-1}):
            named = names(self._from).sprite(number)
            arrival = numbering.arrive(Entry("sprite", number, named), is_asked=True)
            for each in pictures:
                if arrival is not None and each.tomb_raider.sprite.sequence == number:
                    each.tomb_raider.sprite.sequence = arrival.number


def _is_shared(obj: Object, guests: Iterable[Object]) -> bool:
    """Tell whether a mesh is shown by anything that has not come along."""
    known = set(guests)
    return any(each.data == obj.data and each not in known for each in bpy.data.objects)


def game_of(objects: Iterable[Object], other: Game) -> Game:
    """Return the game of a level that is not in the scene, by how what has come from there is drawn."""
    around = [each for obj in objects for each in (obj, obj.parent) if each is not None]
    shown = [obj.instance_collection for obj in around if obj.instance_collection is not None]
    around += [each for collection in shown for each in collection.objects]
    meshes = (obj.data for obj in around if isinstance(obj.data, Mesh))
    for material in (each for mesh in meshes for each in mesh.materials if each is not None):
        found = _game_of_material(material)
        if found is not None:
            return found
    return other


def _game_of_material(material: Material) -> Game | None:
    tree = compat.used_nodes(material)
    trees = (getattr(node, "node_tree", None) for node in (tree.nodes if tree is not None else ()))
    return next((game for each in trees if each is not None and (game := game_of_group(each))), None)
