"""New levels: empty, or with the library of a kit, and a first room."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Mesh
from mathutils import Vector

from ...formats import ExportError, Game, Level
from ...formats.base import LARA, SECTOR_SIZE, T
from ...formats.edits.append import PieceChoice, cut_to
from ...formats.edits.new_levels import WaterLook, find_water
from ...formats.levels.lights import POINT
from ...formats.levels.textures import BlendMode, encode_png
from ..authoring.effect_sprites import add_effect_sprites
from ..authoring.new.objects import add, choices
from ..authoring.new.room import add_room
from ..authoring.placeholder_textures import paint_room
from ..core.blender import compat
from ..core.blender.cleanup import undone_on_failure
from ..core.blender.color import bytes_to_linear
from ..core.context import ImportContext, ImportOptions
from ..core.reporting.progress import Listener
from ..core.reporting.report import Report
from ..pipeline.beside import place_next_to_levels
from ..pipeline.importer import hide_libraries, start_level
from ..subjects.lights.object_lighting import light_level
from ..subjects.object_textures.animation_tools import add_group
from ..subjects.textures.materials import play_in, prefixed, surface_mode
from ..subjects.textures.shader import build_surface, surface_group
from ..transfer.append.blend import read_any
from ..transfer.engine.choice import PieceSelection, chosen
from ..transfer.engine.contents import Piece, pieces_of
from .other_game import level_as

_KINDS = ("model", "static", "sprite", "sound")  # a kit has no rooms
_EXTRA = re.compile(r" \([^()]*\)$")  # names of variants: filled, in the menu, or far away


def choice_of(level: Level, wanted: PieceSelection) -> PieceChoice:
    """Return the ids of the chosen objects of a kit; an empty text chooses all of a kind.

    Lara and her models are always included, and the variants of chosen models and sprites: filled, in the
    menu, and far away.

    Raises:
        ExportError: if the level has no such object.
    """
    available = pieces_of(level)
    texts = {kind: text for kind, text in wanted.texts().items() if kind in _KINDS}
    selected = {kind: chosen(available, kind, text) for kind, text in texts.items() if text.strip()}
    if "model" in selected:
        bases = {_base(each) for kind in ("model", "sprite") for each in selected.get(kind, ())}
        selected["model"] += [
            each
            for each in available
            if each.kind == "model" and (each.name.startswith("Lara") or _base(each) in bases)
        ]
    models, static_meshes, sprites, sounds = (
        frozenset(each.number for each in selected[kind]) if kind in selected else None for kind in _KINDS
    )
    return PieceChoice(models, static_meshes, sprites, sounds)


def _base(piece: Piece) -> str:
    return _EXTRA.sub("", piece.name)


# Rooms have coordinates from 0 on, and levels about a hundred sectors: this leaves space on all sides.
_MIDDLE = 48
_SIZE = (6, 6, 4)


def new_level(
    game: Game | None,
    name: str = "New Level",
    kit: Path | None = None,
    options: ImportOptions | None = None,
    *,
    kit_level: str = "",
    wanted: PieceSelection | None = None,
    listener: Listener | None = None,
) -> ImportContext:
    """Create a level in the current scene, with a room, collision, a light, and Lara if the kit has her.

    Args:
        game: its game; None for that of the kit.
        kit: a file whose library it starts with: a level, a WAD, or a .blend with a level. A kit of another
            game is converted.
        options: those of an import that leaves nothing out.
        kit_level: of a .blend with several levels, the name of the one to use; by default the first, and a
            warning is reported.
        wanted: the kit's objects to import, by default all.

    Raises:
        ExportError: if the kit has no library, a chosen object does not exist, or the game cannot hold one.
        FormatError: if the kit is no level or damaged. The scene is then unchanged.
        OSError: if the kit cannot be read.
    """
    report = Report()
    library, water = (
        (None, None) if kit is None else _read_kit(kit, game, kit_level, wanted or PieceSelection(), report)
    )
    game = library.game if library is not None else game
    if game is None:
        raise ExportError(name, T("choose a game, or a kit"))
    with undone_on_failure():
        options = options or ImportOptions()
        context = start_level(game, name, library, replace(options, beside=False), listener=listener)
        context.report.warn_again(report)
        root = context.root
        if water is not None:
            import_water(root, water)
        side = SECTOR_SIZE * root.tomb_raider.scale
        middle = Vector(((_MIDDLE + _SIZE[0] / 2) * side, (_MIDDLE + _SIZE[1] / 2) * side, 0.0))
        room = add_room(root, middle, _SIZE)
        assert isinstance(room.data, Mesh)
        paint_room(root, room.data)
        add(root, "LIGHT", POINT, middle + Vector((side, side, 0.0)))
        if any(each.identifier == str(LARA) for each in choices(root, "ENTITY")):
            add(root, "ENTITY", str(LARA), middle)
            add_effect_sprites(root)
        scene = bpy.context.scene
        if options.beside and scene is not None:
            bpy.context.view_layer.update()
            place_next_to_levels(scene, root)
        hide_libraries(root)
        light_level(root)
    return context


class _Read(NamedTuple):
    """A kit: its library, and the look of its water."""

    library: Level
    water: WaterLook | None


def _read_kit(path: Path, game: Game | None, name: str, wanted: PieceSelection, report: Report) -> _Read:
    level = read_any(path, report, name).level
    library, water = cut_to(level, choice_of(level, wanted), follow=True), find_water(level)
    if game is None or level.game is game:
        return _Read(library, water)
    return _Read(level_as(library, game, path, report), water)


# --- Water ----------------------------------------


_NAME = "Water"


def import_water(root: Collection, look: WaterLook) -> None:
    """Make water surfaces of a level look like those of a kit, if the game supports it."""
    game, name = Game[root.tomb_raider.game], prefixed(root.name, _NAME)
    attribute = look.attribute
    if attribute == BlendMode.ADDITIVE and not game.traits.has_additive_blending:
        return  # the water would be opaque
    count, height, width = look.pictures.shape[:3]
    image = bpy.data.images.new(name, count * width, height)
    # Next to each other, so that the material shows one image.
    png = encode_png(np.concatenate(list(look.pictures), axis=1))
    image.pack(data=png, data_len=len(png))
    image.source = "FILE"
    image.filepath_raw = f"//{bpy.path.clean_name(name)}.png"  # the place where Blender would unpack it
    material = bpy.data.materials.new(name)
    opaque = look.pictures[look.pictures[..., 3] > 0][:, :3]
    mean = opaque.mean(axis=0) if len(opaque) else np.zeros(3)
    red, green, blue = bytes_to_linear(np.rint(mean).astype(np.uint8)).tolist()
    build_surface(material, surface_group(game), surface_mode(attribute), image, (red, green, blue))
    compat.cull_back_faces(material, True)
    material.tomb_raider.attribute = attribute
    if count > 1:
        group = add_group(root)
        group.name = _NAME
        for index in range(count):
            left, right = index * width, (index + 1) * width
            frame = group.frames.add()
            frame.image, frame.attribute = image, attribute
            frame.corners = (left, 0, right, 0, right, height, left, height)
        material.tomb_raider.animation = group.uid
        play_in(root, material, group.uid, image)
    surface = root.tomb_raider.water_surface
    surface.material = material
    share = 1 / count
    surface.corners = (0, 0, share, 0, share, 1, 0, 1)
