"""Append of pieces of another file to a level of the scene, also from another game.

The file is cut down to the selected pieces and imported as a separate level, whose pieces are then moved.
Their textures become user pictures, which exports pack as needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bpy.types import Collection, Material, Object
from mathutils import Vector

from ....catalogue import names
from ....formats import ExportError, Game
from ....formats.base import T, as_message
from ....formats.edits.append import PieceChoice, cut_to, shares_animations
from ....formats.levels.meshes import decode_meshes
from ...authoring.texture_regions.import_region import import_textures
from ...core.blender.cleanup import undone_on_failure
from ...core.context import ImportOptions
from ...core.membership import Places, members_of
from ...core.reporting.progress import Listener
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ...pipeline.importer import start_level
from ...subjects.animations.transfer import sounds_of
from ...subjects.models.lara import fit_outfit, helpers_of_outfit
from ...subjects.models.models import own_collection
from ...subjects.sounds.of_models import note_sounds
from ...subjects.sounds.samples import MAIN_SFX, find_main_sfx
from ...subjects.sounds.sources import show_source
from ...subjects.static_meshes.transfer import static_mesh_like
from ...subjects.textures.transfer import adopt_materials
from ..adoption.adoption import adopt
from ..engine import move
from ..engine.choice import PieceSelection, chosen
from ..engine.contents import KINDS, Piece, pieces_of, textures_in
from ..engine.engine import prepare, remap
from ..engine.plan import (
    FREE_ID,
    SKIP,
    TEMPORARY,
    Numbering,
    PlannedImport,
    most_sounds,
    report_companions,
    used_ids,
    with_companions,
)
from ..engine.sounds import SourceSounds, has_place
from .blend import SourceLevel, read_any
from .deleting import delete_level
from .rooms import RoomMove, shown_in, sounds_at, with_alternates
from .skins import SkinsToAppend

_SUBJECTS = {
    "model": "MODELS",
    "static": "STATIC_MESHES",
    "sprite": "SPRITES",
    "sound": "SOUNDS",
    "room": "ROOMS",
}

# Import options for the library of a level only.
_LIBRARY_ONLY = ImportOptions(
    rooms=False,
    entities=False,
    lights=False,
    cameras=False,
    portals=False,
    collision=False,
    triggers=False,
    pathfinding=False,
    sounds=False,
    set_up_scene=False,
    beside=False,
    set_up_frames=False,
    names_from_script=False,
)


_LIBRARY = frozenset({"model", "static", "sprite"})


class _Imported(NamedTuple):
    """The moved objects of an append."""

    objects: list[Object]  #: armatures of models, static meshes, and pictures of sprites.
    armatures: list[Object]  #: the armatures of models.
    parts: list[Object]  #: all objects of models.
    in_rooms: Sequence[Object] = ()  #: rooms, and the objects in them.


class Appended(NamedTuple):
    """The result of an append."""

    #: armatures of models, static meshes, pictures of sprites, and rooms with their objects.
    objects: list[Object]
    pieces: dict[str, int]  #: the number of pieces by kind.
    materials: list[Material]  #: the materials of appended textures.
    report: Report  #: the warnings.


def append(
    root: Collection,
    path: Path,
    wanted: PieceSelection,
    *,
    source: SourceLevel | None = None,
    on_conflict: str = SKIP,
    companions: bool = True,
    motions: bool = True,
    place: Vector | None = None,
    fits: Mapping[int, int] | None = None,
    game_folder: Callable[[Game], Path | None] | None = None,
    listener: Listener | None = None,
) -> Appended:
    """Append pieces of a file to a level of the scene.

    Args:
        path: a level, a file of objects (WAD, WAD2), or a .blend with a level.
        source: the content of the file, if it was read before; it is not changed.
        on_conflict: the policy for pieces whose id the level uses: SKIP, FREE_ID or REPLACE.
        companions: whether to append pieces that the selected ones need.
        place: the target for the middle of the floor of rooms, in world space; None to keep their place.
        fits: for temporary models, the ids in the level of the models that they replace.
        game_folder: returns the folder of an installed game, for the sounds of TR2 and TR3.

    Raises:
        ExportError: no piece matches, or the level was imported without this kind.
        FormatError: the file is of another format, or damaged. The scene is unchanged then.
        OSError: the file cannot be read.
    """
    report = Report()
    source = source or read_any(path, report)
    level = source.level
    available = pieces_of(level)
    choices = [*available, *textures_in(level)] if wanted.textures else available
    selected = [piece for kind, text in wanted.texts().items() for piece in chosen(choices, kind, text)]
    if not selected:
        raise ExportError(path.name, T("nothing was chosen"))
    textures = [each.number for each in selected if each.kind == "texture"]
    selected = [each for each in selected if each.kind != "texture"]
    _check(root, selected)

    result = Appended([], {}, [], report)
    with undone_on_failure():
        if selected:
            appending = _Appending(
                root, source, path, on_conflict, companions, motions, place, fits or {}, game_folder, listener
            )
            result = appending.run(selected, available)
            report.warn_again(result.report)
        materials = import_textures(root, level, path.stem, textures, report) if textures else []
    counts = {kind: result.pieces.get(kind, 0) for kind in KINDS} | {"texture": len(materials)}
    return Appended(result.objects, counts, materials, report)


def _check(root: Collection, pieces: Iterable[Piece]) -> None:
    """Refuse pieces that would not be exported, as the level was imported without their kind."""
    for kind in dict.fromkeys(piece.kind for piece in pieces):
        if _SUBJECTS[kind] not in root.tomb_raider.imported:
            text = T(
                "its {kinds} were left out when the level was imported, so others would be lost",
                kinds=as_message(KINDS[kind]),
            )
            raise ExportError(root.name, text)


class _Appending:
    """State of an append."""

    def __init__(
        self,
        root: Collection,
        source: SourceLevel,
        path: Path,
        on_conflict: str,
        companions: bool,
        motions: bool,
        place: Vector | None,
        fits: Mapping[int, int],
        game_folder: Callable[[Game], Path | None] | None,
        listener: Listener | None,
    ) -> None:
        self._root, self._path = root, path
        self._skins = SkinsToAppend(*source)
        self._level = level = source.level
        self._on_conflict, self._companions = on_conflict, companions
        self._motions, self._place, self._fits = motions, place, fits
        self._game_folder, self._listener = game_folder, listener
        self._report = Report()
        self._target = Game[root.tomb_raider.game]
        self._transfer = Transfer(
            root, level.game, self._target, self._report, [], has_trng=level.has_trng_footer
        )
        self._used = used_ids(root)

    def run(self, selected: Sequence[Piece], available: Sequence[Piece]) -> Appended:
        game, report = self._level.game, self._report
        rooms = with_alternates(self._level, [each.number for each in selected if each.kind == "room"])
        shown = [each for each in shown_in(self._level, rooms, available) if each not in selected]
        pieces = [*selected, *shown]
        is_temporary = self._on_conflict == TEMPORARY
        if self._companions and not is_temporary:
            pieces = with_companions(pieces, available, self._used, game, self._target, report)
        pieces = [each for each in pieces if _SUBJECTS[each.kind] in self._root.tomb_raider.imported]
        if not is_temporary:
            report_companions(pieces, available, self._used, game, report)
        numbering = Numbering(
            game, self._target, self._used, self._on_conflict, most_sounds(self._root), report
        )
        plans = [
            plan
            for piece in numbering.exact_first(pieces)
            if piece.kind in _LIBRARY
            and (plan := self._plan(numbering, piece, piece in selected, piece in shown)) is not None
        ]
        sounds = [each for each in pieces if each.kind == "sound"]
        with undone_on_failure():
            imported = (
                self._import(plans, rooms, shown, numbering) if plans or rooms else _Imported([], [], [])
            )
            if self._companions:
                sounds += self._played(imported, available)
            sound_plans = [
                plan
                for piece in numbering.exact_first(dict.fromkeys(sounds))
                if (plan := numbering.plan(piece, is_asked=piece in selected)) is not None
            ]
            count = self._import_sounds(sound_plans)
            moved = [*imported.objects, *imported.parts, *imported.in_rooms]
            transfer = replace(self._transfer, moved=list(dict.fromkeys(moved)), numbers=numbering.numbers)
            remap(transfer, prepare(transfer))
            note_sounds(self._root, imported.armatures)
            remaining = set(transfer.moved or ())
            imported = imported._replace(in_rooms=[each for each in imported.in_rooms if each in remaining])
            for each in imported.in_rooms:
                if each.tomb_raider.kind == Kind.SOUND_SOURCE:
                    show_source(each, self._root)
        adopt(self._root, report)
        counts = {kind: sum(each.piece.kind == kind for each in plans) for kind in KINDS}
        rooms_count = sum(each.tomb_raider.kind == Kind.ROOM for each in imported.in_rooms)
        return Appended(
            [*imported.objects, *imported.in_rooms],
            counts | {"sound": count, "room": rooms_count},
            [],
            report,
        )

    def _plan(
        self, numbering: Numbering, piece: Piece, is_asked: bool, is_shown: bool
    ) -> PlannedImport | None:
        """Return the planned import of a piece of the library, or None if the level keeps its own."""
        if piece.kind != "static" or not is_shown:
            return numbering.plan(piece, is_asked=is_asked)
        # Levels use the same ids for different static meshes.
        if self._equal_static_mesh(piece.number) is None:
            return numbering.plan(piece, is_asked=False, on_conflict=FREE_ID)
        numbering.numbers["static"][piece.number] = piece.number
        return None

    def _equal_static_mesh(self, number: int) -> Object | None:
        """Return the static mesh of the level with the id and shape of one of the file, or None."""
        level, space = self._level, self._transfer.space
        (row, *_) = np.flatnonzero(level.static_meshes["id"] == number).tolist()
        entry = int(level.static_meshes["mesh"][row])
        if entry >= len(level.mesh_pointers):
            return None
        block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
        points = space.to_blender(block.meshes[block.pointers[entry]].vertices)
        return static_mesh_like(self._root, number, points)

    # --- Models, static meshes, sprites

    def _import(
        self,
        plans: Sequence[PlannedImport],
        rooms: Sequence[int],
        shown: Sequence[Piece],
        numbering: Numbering,
    ) -> _Imported:
        """Import the planned pieces and rooms as a level, and move them."""
        ids = {kind: {each.piece.number for each in plans if each.piece.kind == kind} for kind in KINDS}
        for number in sorted(ids["model"]):
            owner = shares_animations(self._level, number)
            if owner in ids["model"]:
                source_names = names(self._level.game)
                text = T("its animations belong to {model}, and stay there", model=source_names.model(owner))
                self._report.warn(source_names.model(number), text)
        statics = ids["static"].union(each.number for each in shown if each.kind == "static")
        source_ids = set(self._level.models["id"].tolist())
        helpers = helpers_of_outfit(ids["model"], source_ids, self._level.game, self._target)
        carriers = self._skins.carriers_of(ids["model"])
        choice = PieceChoice(
            frozenset(ids["model"].union(helpers)), frozenset(statics | carriers), frozenset(ids["sprite"])
        )
        has_world = bool(rooms)
        cut = cut_to(self._skins.level, choice, world=has_world)
        options = replace(
            _LIBRARY_ONLY,
            scale=self._root.tomb_raider.scale,
            models=bool(ids["model"]),
            animations=self._motions,
            static_meshes=bool(statics | carriers),
            sprites=has_world or bool(ids["sprite"]),
            rooms=has_world,
            entities=has_world,
            lights=has_world,
            cameras=has_world,
            portals=has_world,
            collision=has_world,
            triggers=has_world,
            sounds=has_world,
        )
        source = start_level(cut.game, self._path.name, cut, options, listener=self._listener).root
        try:
            models = {each.tomb_raider.model.id: each for each in members_of(source, Kind.MODEL)}
            self._skins.add_to(source, models)
            fitted = {each.piece.number: each.number for each in plans if each.piece.kind == "model"}
            fit_outfit(models, self._level.game, self._target, {**fitted, **self._fits}, self._report)
            imported = self._move(source, plans)
            room_move = RoomMove(self._transfer, source)
            if rooms:
                room_move.run(rooms, numbering.numbers, self._place)
            shows = [*imported.objects, *imported.parts, *room_move.objects]
            adopt_materials(self._transfer, source, shows, copies=False)
            self._transfer.present = set(room_move.objects)
            return imported._replace(in_rooms=room_move.objects)
        finally:
            delete_level(source)

    def _move(self, source: Collection, plans: Sequence[PlannedImport]) -> _Imported:
        """Move the planned pieces from the library of the imported level to that of the target level."""
        root = self._root
        imported = _Imported([], [], [])
        places = {kind: Places(root, kind) for kind in (Kind.MODEL, Kind.STATIC_MESH, Kind.SPRITE_TEXTURE)}
        models = {each.tomb_raider.model.id: each for each in members_of(source, Kind.MODEL)}
        statics = {each.tomb_raider.static_mesh.id: each for each in members_of(source, Kind.STATIC_MESH)}
        pictures = members_of(source, Kind.SPRITE_TEXTURE)
        for piece, number, replaces in plans:
            if piece.kind == "model":
                collection = own_collection(models[piece.number])
                imported.parts.extend(collection.objects)
                old = (
                    _numbered_object(root, Kind.MODEL, lambda each: each.model.id, number)
                    if replaces
                    else None
                )
                imported.armatures.append(move.move_model(root, collection, number, old, places[Kind.MODEL]))
                imported.objects.append(imported.armatures[-1])
            elif piece.kind == "static":
                old = (
                    _numbered_object(root, Kind.STATIC_MESH, lambda each: each.static_mesh.id, number)
                    if replaces
                    else None
                )
                move.move_static_mesh(root, statics[piece.number], number, old, places[Kind.STATIC_MESH])
                imported.objects.append(statics[piece.number])
            else:
                sprites = [each for each in pictures if each.tomb_raider.sprite.sequence == piece.number]
                old_sprites = members_of(root, Kind.SPRITE_TEXTURE) if replaces else []
                old_sprites = [each for each in old_sprites if each.tomb_raider.sprite.sequence == number]
                move.move_sprites(root, sprites, number, old_sprites, places[Kind.SPRITE_TEXTURE])
                imported.objects.extend(sprites)
        return imported

    # --- Sounds

    def _played(self, imported: _Imported, available: Sequence[Piece]) -> list[Piece]:
        """Return the sounds of the file that animations and sound sources play."""
        sound_pieces = {each.number: each for each in available if each.kind == "sound"}
        played = sounds_of(imported.armatures) | sounds_at(imported.in_rooms)
        return [sound_pieces[each] for each in sorted(played) if each in sound_pieces]

    def _import_sounds(self, plans: Sequence[PlannedImport]) -> int:
        if not plans or "SOUNDS" not in self._root.tomb_raider.imported:
            return 0
        if not has_place(self._root):
            text = T(
                "choose the level's {main_sfx} in its settings first, to which they are added",
                main_sfx=MAIN_SFX,
            )
            self._report.warn(T("Sounds"), T("{count} are not copied: {text}", count=len(plans), text=text))
            return 0
        installed, game = self._game_folder, self._level.game
        path = find_main_sfx(self._path, lambda: None if installed is None else installed(game))
        return SourceSounds(self._level, path, self._report).import_into(self._root, plans, self._report)


def _numbered_object(root: Collection, kind: str, number_of: Callable[..., int], number: int) -> Object:
    """Return the object of a level that has a number."""
    matches = [each for each in members_of(root, kind) if number_of(each.tomb_raider) == number]
    return min(matches, key=lambda obj: (obj.tomb_raider.index < 0, obj.tomb_raider.index))
