"""What differs between two levels, element by element, as a game would read them.

A difference is a path such as ``("entities", 3, "x")`` or ``("rooms", 0, "quads", 7, "texture")``. What only
moves when other things change size (offsets, indices of object textures, mesh pointers) is looked through:
a face is compared by the texels under it, a sector by what its floor data say.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, Room
from io_tomb_raider.formats.animations.animations import (
    Command,
    StateChange,
    decode_commands,
    decode_state_changes,
)
from io_tomb_raider.formats.animations.frames import decode_frames
from io_tomb_raider.formats.animations.rotations import quaternions_from_angles
from io_tomb_raider.formats.floor.floor_data import RETAIL_RULES, Rules, decode
from io_tomb_raider.formats.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.formats.rooms.geometry import decode_faces
from io_tomb_raider.formats.textures.animated import animated_places
from io_tomb_raider.formats.textures.face_words import room_texture_mask
from io_tomb_raider.formats.textures.level_pages import opaque_pixels
from io_tomb_raider.formats.textures.textiles import Pages, decode_pages

Path = tuple[Any, ...]

# Sections that are compared value by value, field by field.
_PLAIN = (
    "version",
    "palette",
    "palette16",
    "room_textiles",
    "object_textiles",
    "bump_textiles",
    "misc_textiles32",
    "lara_type",
    "weather",
    "level_number",
    "sprite_textures",
    "sprite_sequences",
    "cameras",
    "flyby_cameras",
    "sound_sources",
    "boxes",
    "overlaps",
    "zones",
    "uv_rotates",
    "entities",
    "ai_objects",
    "light_map",
    "cinematic_frames",
    "demo_data",
    "sound_map",
    "sound_details",
    "sample_data",
    "sample_indices",
    "sample_count",
    "samples",
    "footer",
    "static_meshes",
)
_PAGES = ("textiles8", "textiles16", "textiles32")
_ROOM_PLAIN = (
    "x",
    "y",
    "z",
    "y_bottom",
    "y_top",
    "vertices",
    "sprites",
    "portals",
    "z_sectors",
    "x_sectors",
    "ambient",
    "ambient2",
    "light_mode",
    "color",
    "lights",
    "static_meshes",
    "alternate_room",
    "flags",
    "water_scheme",
    "reverb",
    "alternate_group",
    "fog_bulbs",
)
_DERIVED = {
    "models": ("mesh_tree", "frame_offset", "first_mesh"),
    "animations": ("frame_offset", "frame_size", "first_state_change", "first_command"),
    "static_meshes": ("mesh",),
}


def differences(old: Level, new: Level, *, rebuilt: bool = False) -> list[Path]:
    """Return the paths of everything that differs.

    Args:
        rebuilt: the new level was made from the scene alone. Bounding boxes of key frames, which are
            recomputed, are left out, and texels are compared by what games draw: palettes hold some colours
            twice, and opaque faces draw the key colour, too.
    """
    found: list[Path] = []
    if old.game is not new.game or old.variant is not new.variant:
        return [("game",)]
    for name in _PLAIN:
        found += _plain((name,), getattr(old, name, None), getattr(new, name, None), _DERIVED.get(name, ()))
    for name in _PAGES:
        pages = [getattr(level, name, None) for level in (old, new)]
        if rebuilt and pages[0] is not None and pages[1] is not None:
            form = Pages(palette=getattr(old, "palette", None), opaque=opaque_pixels(old))
            pages = [_drawn(form._replace(**{name: each})) for each in pages]
        found += _pages(name, *pages)
    found += _rooms(old, new)
    found += _meshes(old, new)
    found += _animated(old, new)
    found += _models(old, new)
    found += _animations(old, new, rebuilt)
    return found


def _plain(path: Path, old: Any, new: Any, ignored: tuple[str, ...] = ()) -> list[Path]:
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
        same = type(old) is type(new) and old == new
        return [] if same else [path]
    if old.shape[1:] != new.shape[1:]:
        return [(*path, "shape", old.shape, new.shape)]
    found: list[Path] = [] if len(old) == len(new) else [(*path, "count", len(old), len(new))]
    shared = min(len(old), len(new))
    names = [name for name in (old.dtype.names or ()) if name not in ignored]
    columns = [(name, old[name][:shared], new[name][:shared]) for name in names]
    if not old.dtype.names:
        columns = [("value", old[:shared], new[:shared])]
    for name, before, after in columns:
        unequal = before != after
        if np.issubdtype(before.dtype, np.floating):
            unequal &= ~(np.isnan(before) & np.isnan(after))
        differs = unequal.reshape(shared, -1).any(axis=1) if shared else np.zeros(0, bool)
        found += [(*path, int(row), name) for row in np.flatnonzero(differs)]
    return found


def _drawn(pages: Pages) -> NDArray[np.uint8]:
    """What games draw of one form of the pages: the colour of transparent texels does not count."""
    rgba = decode_pages(pages)
    rgba[rgba[..., 3] == 0] = 0
    return rgba


def _pages(name: str, old: Any, new: Any) -> list[Path]:
    """Differing pages as ``(name, page, number of differing texels)``."""
    if old is None or new is None:
        return [] if old is new else [(name,)]
    found: list[Path] = [] if len(old) == len(new) else [(name, "count", len(old), len(new))]
    for page in range(min(len(old), len(new))):
        differs = (old[page] != new[page]).reshape(256 * 256, -1).any(axis=1)
        if differs.any():
            found.append((name, page, int(differs.sum())))
    return found


class _Texels:
    """Looks through a face's texture word to what the face shows."""

    def __init__(self, level: Level) -> None:
        self.game = level.game
        textures = level.object_textures
        page = textures["page"] & 0x7FFF if level.game >= Game.TR4 else textures["page"]
        bump = textures["flags"] >> 9 & 3 if level.game >= Game.TR4 else np.zeros(len(textures))
        uv = textures["uv"].reshape(-1, 8).astype(np.int64)
        self._rows = np.column_stack((np.zeros(len(textures)), textures["attribute"], page, bump, uv))

    def rows(self, words: NDArray[Any], mask: int, corners: int) -> NDArray[Any]:
        """Return (n, 13) numbers: what each face shows, and the bits of its word beside the texture."""
        index = words.astype(np.int64) & mask
        out = np.zeros((len(words), 13))
        known = index < len(self._rows)
        out[known, :12] = self._rows[index[known]]
        out[:, 4 + 2 * corners : 12] = 0
        out[~known, 0], out[~known, 1] = 1, index[~known]
        out[:, 12] = words.astype(np.int64) & ~mask
        return out


def _rooms(old: Level, new: Level) -> list[Path]:
    if not hasattr(old, "rooms") or not hasattr(new, "rooms"):
        return []
    found: list[Path] = [] if len(old.rooms) == len(new.rooms) else [("rooms", "count")]
    if not hasattr(old, "object_textures"):
        return found
    texels = _Texels(old), _Texels(new)
    for number, (before, after) in enumerate(zip(old.rooms, new.rooms, strict=False)):
        path = ("rooms", number)
        for name in _ROOM_PLAIN:
            found += _plain((*path, name), getattr(before, name, None), getattr(after, name, None))
        found += _room_faces(path, (old, before), (new, after), texels)
        found += _sectors(path, (old, before), (new, after))
    return found


def _room_faces(path: Path, *args: Any) -> list[Path]:
    (old, before), (new, after), texels = args
    found: list[Path] = []
    mask = room_texture_mask(old.game)
    for kind, one, two in zip(
        ("quads", "triangles"), decode_faces(old.game, before), decode_faces(new.game, after), strict=True
    ):
        corners = one.corners.shape[1]
        found += _plain((*path, kind, "corners"), one.corners, two.corners)
        found += _plain((*path, kind, "effects"), one.effects, two.effects)
        found += _plain((*path, kind, "layer"), one.layer, two.layer)
        shown = texels[0].rows(one.texture, mask, corners), texels[1].rows(two.texture, mask, corners)
        found += _plain((*path, kind, "texture"), *shown)
    return found


def _sectors(path: Path, *args: tuple[Level, Room]) -> list[Path]:
    (old, before), (new, after) = args
    found = _plain((*path, "sectors"), before.sectors, after.sectors, ("floor_data",))
    for sector, (one, two) in enumerate(
        zip(before.sectors["floor_data"].tolist(), after.sectors["floor_data"].tolist(), strict=False)
    ):
        if _functions(old, one) != _functions(new, two):
            found.append((*path, "sectors", sector, "functions"))
    return found


def _functions(level: Level, index: int) -> Any:
    if not index:
        return ()
    return decode(level.floor_data, index, Rules(trng=True) if level.has_trng_footer else RETAIL_RULES)


def _meshes(old: Level, new: Level) -> list[Path]:
    if not hasattr(old, "mesh_pointers"):
        return []
    found: list[Path] = []
    before = decode_meshes(old.game, old.mesh_data, old.mesh_pointers)
    after = decode_meshes(new.game, new.mesh_data, new.mesh_pointers)
    texels = _Texels(old), _Texels(new)
    if len(before.meshes) != len(after.meshes):
        found.append(("meshes", "count", len(before.meshes), len(after.meshes)))
    for number, (one, two) in enumerate(zip(before.meshes, after.meshes, strict=False)):
        found += _mesh(("meshes", number), old.game, one, two, texels)
    return found


def _mesh(path: Path, game: Game, one: Mesh, two: Mesh, texels: tuple[_Texels, _Texels]) -> list[Path]:
    found: list[Path] = []
    for name in ("center", "radius", "flags"):
        if getattr(one, name) != getattr(two, name):
            found.append((*path, name))
    for name in ("vertices", "normals", "lights"):
        found += _plain((*path, name), getattr(one, name), getattr(two, name))
    mask = 0xFFFF if game <= Game.TR2 else 0x7FFF
    for name in ("quads", "triangles", "colored_quads", "colored_triangles"):
        before, after = getattr(one, name), getattr(two, name)
        found += _plain((*path, name, "corners"), before["vertices"], after["vertices"])
        if "effects" in before.dtype.names:
            found += _plain((*path, name, "effects"), before["effects"], after["effects"])
        if name.startswith("colored"):
            found += _plain((*path, name, "texture"), before["texture"], after["texture"])
            continue
        corners = before["vertices"].shape[1]
        shown = (
            texels[0].rows(before["texture"], mask, corners),
            texels[1].rows(after["texture"], mask, corners),
        )
        found += _plain((*path, name, "texture"), *shown)
    return found


def _animated(old: Level, new: Level) -> list[Path]:
    """Animated textures, by what their ranges show."""
    if not hasattr(old, "animated_textures"):
        return []
    before, after = old.animated_textures, new.animated_textures
    if len(before) != len(after):
        return [("animated_textures", "count", len(before), len(after))]
    places = animated_places(before)
    fixed = np.setdiff1d(np.arange(len(before)), places)
    found = [("animated_textures", int(row)) for row in fixed if before[row] != after[row]]
    shown = _Texels(old).rows(before[places], 0xFFFF, 4), _Texels(new).rows(after[places], 0xFFFF, 4)
    return found + _plain(("animated_textures",), *shown)


def _models(old: Level, new: Level) -> list[Path]:
    if not hasattr(old, "models"):
        return []
    found = _plain(("models",), old.models, new.models, _DERIVED["models"])
    pointers = [
        decode_meshes(level.game, level.mesh_data, level.mesh_pointers).pointers for level in (old, new)
    ]
    for row in range(min(len(old.models), len(new.models))):
        one, two = (_model_parts(level, level.models[row], pointers[i]) for i, level in enumerate((old, new)))
        found += [("models", row, name) for name in one if one[name] != two[name]]
    for row in range(min(len(old.static_meshes), len(new.static_meshes))):
        one_mesh, two_mesh = (
            int(pointers[i][level.static_meshes["mesh"][row]]) for i, level in enumerate((old, new))
        )
        if one_mesh != two_mesh:
            found.append(("static_meshes", row, "mesh"))
    return found


def _model_parts(level: Level, model: Any, pointers: NDArray[Any]) -> dict[str, Any]:
    first, count, tree = int(model["first_mesh"]), int(model["meshes"]), int(model["mesh_tree"])
    return {
        "mesh numbers": pointers[first : first + count].tolist(),
        "mesh tree": level.mesh_trees[tree : tree + 4 * max(count - 1, 0)].tolist(),
    }


def _state_changes(level: Level, row: int) -> tuple[StateChange, ...]:
    return decode_state_changes(level.animations, level.state_changes, level.animation_dispatches, row)


def _commands(level: Level, row: int) -> tuple[Command, ...]:
    record = level.animations[row]
    first, count = int(record["first_command"]), int(record["commands"])
    start = int(record["first_frame"])
    return decode_commands(level.animation_commands, first, count, first_frame=start)


def _animations(old: Level, new: Level, rebuilt: bool) -> list[Path]:
    if not hasattr(old, "animations"):
        return []
    found = _plain(("animations",), old.animations, new.animations, _DERIVED["animations"])
    for row in range(min(len(old.animations), len(new.animations))):
        for name, read in (("state change", _state_changes), ("command", _commands)):
            pairs = zip_longest(read(old, row), read(new, row))
            found += [("animations", row, name, n) for n, (one, two) in enumerate(pairs) if one != two]
    before, after = (
        decode_frames(level.game, level.frames, level.animations, level.models) for level in (old, new)
    )
    for row in range(min(len(old.animations), len(new.animations))):
        one, two = before.keys(row), after.keys(row)
        path = ("animations", row, "keys")
        if len(one) != len(two):
            found.append((*path, "count", len(one), len(two)))
        found += _plain((*path, "offsets"), one.offsets, two.offsets)
        if not rebuilt:
            found += _plain((*path, "boxes"), one.boxes, two.boxes)
        shared = min(len(one), len(two))
        poses = [quaternions_from_angles(keys.angles[:shared]) for keys in (one, two)]
        if poses[0].shape != poses[1].shape:
            found.append((*path, "bones"))
            continue
        # A quaternion and its negative are one rotation; the finest step of a game, 1/4096 turn, is 8e-4.
        apart = [np.linalg.norm(poses[0] + sign * poses[1], axis=-1) for sign in (-1, 1)]
        same = np.minimum(*apart) < 2e-4
        found += [(*path, int(key), "bone", int(bone)) for key, bone in np.argwhere(~same)]
    return found
