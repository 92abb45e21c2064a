"""Kits: levels reduced to their library, as a start for new levels.

Models with their animations, static meshes, sprites and sounds are kept with their textures. Rooms are
removed with their contents and the textures that only they use. The result is a complete level.
"""

from __future__ import annotations

import numpy as np

from ...base.bytes.records import ANIMATION
from ...base.errors import ExportError
from ...base.messages import T
from ...levels.animations.animations import NO_ANIMATION, model_animations
from ...levels.level.footer import FLOOR_DATA_PLUGINS, ROOM_FLAGS, ROOM_REMAP, footer_of, put_footer
from ...levels.level.level import Level
from ...levels.meshes.meshes import decode_meshes
from ...levels.models.bounding import enclosing_box
from ...levels.models.order import sort_models
from ...levels.textures.animated import decode_animated, encode_animated
from ..references.renumbering import forms, remove, used
from ..rules.needs import SHOWN_ANIMATED, pickups


def animate_menu_models(level: Level) -> None:
    """Give models of the menu without an animation one with a single key frame, in place.

    TR1 shows an item that Lara picks up with the first animation of its model in the menu.
    """
    if level.game not in SHOWN_ANIMATED:
        return
    models = level.models.copy()
    _, counts = model_animations(models, level.animations)
    is_still = (counts == 0) & (models["meshes"] > 0) & np.isin(models["id"], list(pickups(level.game)))
    if not is_still.any():
        return
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    frames, animations = [level.frames], [level.animations]
    words, number = len(level.frames), len(level.animations)
    for row in np.flatnonzero(is_still).tolist():
        first, count = int(models["first_mesh"][row]), int(models["meshes"][row])
        vertices = [block.meshes[each].vertices for each in block.pointers[first : first + count].tolist()]
        box = enclosing_box(np.concatenate(vertices))
        # The box, no offset, and no rotation of each mesh.
        frame = np.array([*box, 0, 0, 0, count, *[0] * (2 * count)], np.int64).astype(level.frames.dtype)
        animation = np.zeros(1, ANIMATION)
        animation["frame_offset"] = models["frame_offset"][row] = 2 * words
        animation["frame_rate"] = 1
        animation["next_animation"] = models["animation"][row] = number
        frames.append(frame)
        animations.append(animation)
        words, number = words + len(frame), number + 1
    assert number < NO_ANIMATION
    level.models = models
    level.frames, level.animations = np.concatenate(frames), np.concatenate(animations)
    sort_models(level)


_LIBRARY = (
    *("palette", "palette16", "light_map", "misc_textiles32", "lara_type"),
    *("mesh_data", "mesh_pointers", "mesh_trees", "models", "static_meshes"),
    *("animations", "state_changes", "animation_dispatches", "animation_commands", "frames"),
    *("object_textures", "sprite_textures", "sprite_sequences"),
)
_SOUNDS = ("sound_map", "sound_details", "sample_indices", "sample_data", "sample_count", "samples")


def kit_of(level: Level) -> Level:
    """Return a level of the same game with the library of another one, and an empty world.

    Models, static meshes, animations, sprites and sounds keep their numbers. Object textures and pages that
    only rooms use are removed, so the others are renumbered. The sounds of TR2 demos are removed: they
    have samples in place of indices, and other levels of TR2 use MAIN.SFX.

    Raises:
        ExportError: if the file has texture pages only.
        FormatError: if its meshes are damaged.
    """
    if not level.has("models"):
        raise ExportError("kit", T("it holds texture pages only: choose a whole level"))
    kit = Level.empty(level.game)
    for name in (*_LIBRARY, *(_SOUNDS if level.has("sample_indices") else ())):
        if name in vars(level):
            setattr(kit, name, getattr(level, name))
    _keep_footer(kit, level)
    _keep_textures(kit, level)
    _keep_pages(kit, level)
    animate_menu_models(kit)
    return kit


def _keep_footer(kit: Level, level: Level) -> None:
    """Keep the TRNG footer except for chunks about rooms and floor data."""
    footer = footer_of(level)
    if footer is None:
        return
    for chunk in (ROOM_FLAGS, ROOM_REMAP, FLOOR_DATA_PLUGINS):
        footer = footer.with_chunk(chunk, None)
    kit.footer, kit.has_trng_footer = level.footer, True
    kit.sound_map_counted = level.sound_map_counted
    put_footer(kit, footer)


def _keep_textures(kit: Level, level: Level) -> None:
    """Keep the object textures that meshes use, and those of the same animated textures."""
    is_used = used(level, "object_textures", "mesh.quads", "mesh.triangles")
    count = len(is_used)
    groups = decode_animated(level.animated_textures).groups
    is_kept_group = [bool(is_used[[each for each in group if each < count]].any()) for group in groups]
    kept_groups = [group for group, is_kept in zip(groups, is_kept_group, strict=True) if is_kept]
    is_used[[each for group in kept_groups for each in group if each < count]] = True
    if is_used.all():
        kit.animated_textures = level.animated_textures
        kit.uv_rotates = level.uv_rotates
        return
    kit.animated_textures = encode_animated(kept_groups)
    kit.uv_rotates = sum(is_kept_group[: level.uv_rotates])
    remove(kit, "object_textures", is_used)


def _keep_pages(kit: Level, level: Level) -> None:
    """Keep the pages that object textures and sprites use; of bumped ones all, since they are in pairs."""
    empty_pages = {name: getattr(kit, name) for name in forms(level, "pages")}
    for name in empty_pages:
        setattr(kit, name, getattr(level, name))
    is_used = used(kit, "pages", "object_textures", "sprite_textures")
    if not is_used.any():
        for name, pages in empty_pages.items():
            setattr(kit, name, pages)
        return
    if level.game.traits.has_32bit_pages:
        ends = np.cumsum([level.room_textiles, level.object_textiles])
        is_used[ends[1] :] |= is_used[ends[1] :].any()
        parts = np.split(is_used, ends)
        kit.room_textiles, kit.object_textiles, kit.bump_textiles = (int(part.sum()) for part in parts)
    remove(kit, "pages", is_used)
