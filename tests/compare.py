"""Differences between two levels, element by element, as a game reads them.

A difference is a path such as ``("entities", 3, "x")`` or ``("rooms", 0, "quads", 7, "texture")``. Values
that change only because other objects change size (offsets, indices of object textures, mesh pointers) are
resolved: faces are compared by their texels, sectors by their floor functions.
The comparison is complete by default: all attributes that reading a level sets are compared, section by
section and field by field, except those that are listed as resolved. So new sections and fields are compared,
too.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, Room
from io_tomb_raider.formats.levels.animations.animations import (
    AnimationCommand,
    StateChange,
    decode_commands,
    decode_state_changes,
)
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.animations.rotations import quaternions_from_angles
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.grammar import RETAIL_RULES, Rules
from io_tomb_raider.formats.levels.level.level_pages import opaque_pixels
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_tree
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces, vertex_layers
from io_tomb_raider.formats.levels.textures.animated import animated_places
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from io_tomb_raider.formats.levels.textures.object_textures import BUMP
from io_tomb_raider.formats.levels.textures.textiles import Pages, decode_pages

Path = tuple[Any, ...]

# Attributes of a level other than sections. Contents of compressed streams are sections; a file of textiles
# has no sections after its end.
NO_SECTIONS = frozenset({"game", "variant", "layout", "streams", "ends_at"})
_PAGES = ("textiles8", "textiles16", "textiles32")
# Sections that are compared by meaning; all others are compared by value.
BY_MEANING = frozenset(
    {
        *_PAGES,
        *("rooms", "floor_data"),
        *("mesh_data", "mesh_pointers", "models", "mesh_trees"),
        *("object_textures", "animated_textures"),
        *("animations", "state_changes", "animation_dispatches", "animation_commands", "frames"),
    }
)
# Attributes of a room that are compared by meaning. The block is the whole stored room of TR5.
OF_ROOMS_BY_MEANING = frozenset(
    {"quads", "triangles", "sectors", "geometry_words", "layers", "header", "block"}
)
# Parts of a TR5 room that its header counts.
_COUNTED_PARTS = ("lights", "fog_bulbs", "static_meshes", "layers", "quads", "triangles")
# Fields that store positions, which change when other objects change size.
PLACES = {
    "models": ("mesh_tree", "frame_offset", "first_mesh"),
    "animations": ("frame_offset", "frame_size", "first_state_change", "first_command"),
    "static_meshes": ("mesh",),
    "sectors": ("floor_data",),
    "header": (
        *("portals_offset", "sectors_offset", "statics_offset", "lights_offset", "fog_bulbs_offset"),
        *("layers_offset", "vertices_offset", "faces_offset"),
    ),
}


def differences(old: Level, new: Level, *, rebuilt: bool = False) -> list[Path]:
    """Return the paths of all differences.

    Args:
        rebuilt: the new level was rebuilt from the scene. Bounding boxes of key frames and areas of object
            textures, which are recomputed, are ignored, and texels are compared as games draw them: palettes
            contain some colors twice, and opaque faces draw the key color, too.
    """
    found: list[Path] = []
    if old.game is not new.game or old.variant is not new.variant or old.layout is not new.layout:
        return [("game",)]
    for name in _names(old, new, but=NO_SECTIONS | BY_MEANING):
        found += _plain((name,), getattr(old, name, None), getattr(new, name, None), PLACES.get(name, ()))
    for name in _PAGES:
        pages: list[Any] = [getattr(level, name, None) for level in (old, new)]
        if rebuilt and pages[0] is not None and pages[1] is not None:
            form = Pages(palette=getattr(old, "palette", None), opaque=opaque_pixels(old))
            pages = [_drawn(form._replace(**{name: each})) for each in pages]
        found += _pages(name, *pages)
    found += _rooms(old, new, rebuilt)
    found += _meshes(old, new, rebuilt)
    found += _animated(old, new, rebuilt)
    found += _models(old, new, rebuilt)
    found += _animations(old, new, rebuilt)
    return found


def _names(old: object, new: object, but: Set[str] = frozenset()) -> list[str]:
    """Return the names of the attributes of two objects, in order, without some."""
    return [name for name in {**vars(old), **vars(new)} if name not in but]


def _alike(old: object, new: object, *names: str) -> bool:
    """Return whether attributes of two objects are equal byte by byte, which implies equal meaning."""
    return all(_equal_bytes(getattr(old, name, None), getattr(new, name, None)) for name in names)


def _equal_bytes(old: Any, new: Any) -> bool:
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
        return type(old) is type(new) and bool(old == new)
    return old.dtype == new.dtype and old.shape == new.shape and old.tobytes() == new.tobytes()


def _plain(path: Path, old: Any, new: Any, ignored: tuple[str, ...] = ()) -> list[Path]:
    if _equal_bytes(old, new):
        return []
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
        return [path]
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
    """Return the pages as games draw them: the color of transparent texels is ignored."""
    rgba = decode_pages(pages)
    rgba[rgba[..., 3] == 0] = 0
    return rgba


def _pages(name: str, old: Any, new: Any) -> list[Path]:
    """Return differing pages as ``(name, page, number of differing texels)``."""
    if old is None or new is None:
        return [] if old is new else [(name,)]
    found: list[Path] = [] if len(old) == len(new) else [(name, "count", len(old), len(new))]
    for page in range(min(len(old), len(new))):
        differs = (old[page] != new[page]).reshape(256 * 256, -1).any(axis=1)
        if differs.any():
            found.append((name, page, int(differs.sum())))
    return found


# Editors' values of an object texture apart from its corners. Rebuilt levels recompute them, and all flags
# except bumps.
_AREA = frozenset({"original_u", "original_v", "width", "height"})


class _Texels:
    """Resolves the texture words of faces to what they show."""

    def __init__(self, level: Level, rebuilt: bool) -> None:
        textures = level.object_textures
        names = [name for name in textures.dtype.names or () if name != "uv"]
        columns = [textures[name].astype(np.int64) for name in names if not rebuilt or name not in _AREA]
        if rebuilt and "flags" in names:
            columns[names.index("flags")] &= BUMP.mask
        missing = np.zeros(len(textures), np.int64)
        self._rows = np.column_stack((missing, *columns, textures["uv"].reshape(-1, 8)))

    def rows(self, words: NDArray[Any], mask: int, corners: int) -> NDArray[Any]:
        """Return a description of each face, shape (n, m):

        its object texture, and the other bits of its word.
        """
        index = words.astype(np.int64) & mask
        known = index < len(self._rows)
        out = np.zeros((len(words), self._rows.shape[1] + 1), np.int64)
        out[known, :-1] = self._rows[index[known]]
        out[:, out.shape[1] - 9 + 2 * corners : -1] = 0
        out[~known, 0], out[~known, 1] = 1, index[~known]
        out[:, -1] = words.astype(np.int64) & ~mask
        return out


def _rooms(old: Level, new: Level, rebuilt: bool) -> list[Path]:
    if not hasattr(old, "rooms") or not hasattr(new, "rooms"):
        return []
    found: list[Path] = [] if len(old.rooms) == len(new.rooms) else [("rooms", "count")]
    if not hasattr(old, "object_textures"):
        return found
    texels = _Texels(old, rebuilt), _Texels(new, rebuilt)
    floors = _alike(old, new, "floor_data", "has_trng_footer")
    for number, (before, after) in enumerate(zip(old.rooms, new.rooms, strict=False)):
        path = ("rooms", number)
        for name in _names(before, after, but=OF_ROOMS_BY_MEANING):
            found += _plain((*path, name), getattr(before, name, None), getattr(after, name, None))
        found += _room_faces(path, (old, before), (new, after), texels)
        if not floors or not _alike(before, after, "sectors"):
            found += _sectors(path, (old, before), (new, after))
        if old.game is Game.TR5:
            found += _header(path, before, after) + _layers(path, before, after)
        else:
            found += _geometry_words(path, before, after)
    return found


def _room_faces(path: Path, *args: Any) -> list[Path]:
    (old, before), (new, after), texels = args
    found: list[Path] = []
    mask = room_texture_mask(old.game)
    for kind, one, two in zip(
        ("quads", "triangles"), decode_faces(old.game, before), decode_faces(new.game, after), strict=True
    ):
        for name in _names(one, two, but={"texture"}):
            found += _plain((*path, kind, name), getattr(one, name), getattr(two, name))
        corners = one.corners.shape[1]
        shown = texels[0].rows(one.texture, mask, corners), texels[1].rows(two.texture, mask, corners)
        found += _plain((*path, kind, "texture"), *shown)
    return found


def _geometry_words(path: Path, before: Room, after: Room) -> list[Path]:
    """Compare the stored numbers of words of a room's mesh: unchanged, or correct if the mesh has grown."""
    (_, old_words), (stored, words) = before.geometry_words, after.geometry_words
    same = before.geometry_words == after.geometry_words if words == old_words else stored == words
    return [] if same else [(*path, "geometry_words")]


def _header(path: Path, before: Room, after: Room) -> list[Path]:
    """Compare the headers of a TR5 room. Values about other parts are compared by their error."""
    path = (*path, "header")
    errors = _header_errors(before.header[0], before), _header_errors(after.header[0], after)
    found: list[Path] = [
        (*path, name) for name in errors[0] if not np.array_equal(errors[0][name], errors[1][name])
    ]
    # Numbers of the room are fields of its header under the same names.
    numbers = [name for name, value in vars(before).items() if isinstance(value, int)]
    return found + _plain(path, before.header, after.header, (*PLACES["header"], *numbers, *errors[0]))


def _header_errors(header: Any, room: Room) -> dict[str, NDArray[np.float64]]:
    true: dict[str, Any] = {name: len(getattr(room, name)) for name in _COUNTED_PARTS}
    true |= {"lights2": len(room.lights), "position": (room.x, room.y, room.z)}
    true |= {"y_top2": room.y_top, "y_bottom2": room.y_bottom}
    true |= {"faces_offset2": header["faces_offset"], "vertex_bytes": room.vertices.nbytes}
    return {name: np.subtract(header[name], value, dtype=np.float64) for name, value in true.items()}


def _layers(path: Path, before: Room, after: Room) -> list[Path]:
    """Compare the layers of a TR5 room: their vertices, and their values. Faces store their layer."""
    path = (*path, "layers")
    found = _plain((*path, "vertices"), vertex_layers(before), vertex_layers(after))
    found += _plain(path, before.layers, after.layers, ("vertices", "quads", "triangles", "bounds"))
    # Editors store bounds differently; rewritten and new layers have exact bounds.
    new = _bounds_errors(after)
    old, shared = np.zeros_like(new), min(len(before.layers), len(new))
    old[:shared] = _bounds_errors(before)[:shared]
    wrong = new.any(1) & (old != new).any(1)
    return found + [(*path, int(layer), "bounds") for layer in np.flatnonzero(wrong)]


def _bounds_errors(room: Room) -> NDArray[np.float64]:
    """Return the errors of the bounds of layers, shape (n, 6)."""
    bounds, layers = room.layers["bounds"].astype(np.float64), vertex_layers(room)
    positions = np.stack([room.vertices[axis] for axis in "xyz"], axis=1)
    for layer in np.unique(layers):
        points = positions[layers == layer]
        bounds[layer] -= (*points.min(0), *points.max(0))
    return bounds


def _sectors(path: Path, *args: tuple[Level, Room]) -> list[Path]:
    (old, before), (new, after) = args
    found = _plain((*path, "sectors"), before.sectors, after.sectors, PLACES["sectors"])
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


_OF_MESHES = ("mesh_data", "mesh_pointers")


def _meshes(old: Level, new: Level, rebuilt: bool) -> list[Path]:
    if not hasattr(old, "mesh_pointers"):
        return []
    if _alike(old, new, *_OF_MESHES, "models", "static_meshes", "object_textures"):
        return []
    found: list[Path] = []
    before = decode_meshes(old.game, old.mesh_data, old.mesh_pointers)
    after = decode_meshes(new.game, new.mesh_data, new.mesh_pointers)
    texels = _Texels(old, rebuilt), _Texels(new, rebuilt)
    if len(before.meshes) != len(after.meshes):
        found.append(("meshes", "count", len(before.meshes), len(after.meshes)))
    # Meshes of models and static meshes are compared with their owners.
    numbers = _numbers_before(before.meshes, after.meshes)
    lone = before.pointers[_lone_pointers(old)], numbers[after.pointers[_lone_pointers(new)]]
    found += _plain(("mesh_pointers",), lone[0], lone[1])
    for place in np.argsort(numbers).tolist():
        number = int(numbers[place])
        if number < len(before.meshes):
            one, two = before.meshes[number], after.meshes[place]
            found += _mesh(("meshes", number), old.game, one, two, texels)
    return found


def _shape(mesh: Mesh) -> bytes:
    faces = (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles)
    return b"|".join([mesh.vertices.tobytes(), *(each["vertices"].tobytes() for each in faces)])


def _numbers_before(before: list[Mesh], after: list[Mesh]) -> NDArray[np.int64]:
    """Return which number each mesh had before: the order of a block follows from the use of its meshes.

    Meshes are recognized by their shape, the others by their order. New meshes come after them.
    """
    shapes = [[_shape(mesh) for mesh in meshes] for meshes in (before, after)]
    numbers = np.full(len(after), -1, np.int64)
    same = [i for i, (one, two) in enumerate(zip(*shapes, strict=False)) if one == two]
    numbers[same] = same
    free = [i for i in range(len(before)) if i not in set(same)]
    for number, shape in enumerate(shapes[1]):
        found = next((i for i in free if numbers[number] < 0 and shapes[0][i] == shape), None)
        if found is not None:
            numbers[number] = found
            free.remove(found)
    left = np.flatnonzero(numbers < 0)
    numbers[left] = [*free, *range(len(before), len(before) + len(after))][: len(left)]
    return numbers


def _lone_pointers(level: Level) -> NDArray[np.bool_]:
    """Return which mesh pointers no model or static mesh uses, shape (n,) bool."""
    lone = np.ones(len(level.mesh_pointers), bool)
    lone[level.static_meshes["mesh"]] = False
    for first, count in level.models[["first_mesh", "meshes"]].tolist():
        lone[first : first + count] = False
    return lone


def _mesh(path: Path, game: Game, one: Mesh, two: Mesh, texels: tuple[_Texels, _Texels]) -> list[Path]:
    found: list[Path] = []
    mask = 0xFFFF if game <= Game.TR2 else 0x7FFF
    for name in _names(one, two, but={"raw"}):
        before, after = getattr(one, name), getattr(two, name)
        if not isinstance(before, np.ndarray) or "texture" not in (before.dtype.names or ()):
            found += _plain((*path, name), before, after)
            continue
        for field in before.dtype.names or ():
            columns = before[field], after[field]
            if field == "texture" and not name.startswith("colored"):
                corners = before["vertices"].shape[1]
                columns = texels[0].rows(columns[0], mask, corners), texels[1].rows(columns[1], mask, corners)
            found += _plain((*path, name, "corners" if field == "vertices" else field), *columns)
    return found


def _animated(old: Level, new: Level, rebuilt: bool) -> list[Path]:
    """Compare animated textures by the texels of their frames."""
    if not hasattr(old, "animated_textures"):
        return []
    before, after = old.animated_textures, new.animated_textures
    if len(before) != len(after):
        return [("animated_textures", "count", len(before), len(after))]
    places = animated_places(before)
    fixed = np.setdiff1d(np.arange(len(before)), places)
    found: list[Path] = [("animated_textures", int(row)) for row in fixed if before[row] != after[row]]
    texels = _Texels(old, rebuilt), _Texels(new, rebuilt)
    shown = texels[0].rows(before[places], 0xFFFF, 4), texels[1].rows(after[places], 0xFFFF, 4)
    return found + _plain(("animated_textures",), *shown)


def _models(old: Level, new: Level, rebuilt: bool) -> list[Path]:
    if not hasattr(old, "models"):
        return []
    if _alike(old, new, *_OF_MESHES, "mesh_trees", "models", "static_meshes"):
        return []
    found = _plain(("models",), old.models, new.models, PLACES["models"])
    blocks = [decode_meshes(level.game, level.mesh_data, level.mesh_pointers) for level in (old, new)]
    numbers = _numbers_before(blocks[0].meshes, blocks[1].meshes)
    pointers = blocks[0].pointers, numbers[blocks[1].pointers]
    for row in range(min(len(old.models), len(new.models))):
        one, two = (
            _model_parts(level, level.models[row], pointers[i], rebuilt) for i, level in enumerate((old, new))
        )
        found += [("models", row, name) for name in one if one[name] != two[name]]
    for row in range(min(len(old.static_meshes), len(new.static_meshes))):
        one_mesh, two_mesh = (
            int(pointers[i][level.static_meshes["mesh"][row]]) for i, level in enumerate((old, new))
        )
        if one_mesh != two_mesh:
            found.append(("static_meshes", row, "mesh"))
    return found


def _model_parts(level: Level, model: Any, pointers: NDArray[Any], rebuilt: bool) -> dict[str, Any]:
    first, count, start = int(model["first_mesh"]), int(model["meshes"]), int(model["mesh_tree"])
    words = level.mesh_trees[start : start + 4 * max(count - 1, 0)]
    shown: Any = words.tolist()
    if rebuilt:  # some trees push a mesh that none takes from the stack: rebuilt ones do not
        tree = decode_mesh_tree(words, count)
        shown = tree.parents.tolist(), tree.offsets.tolist()
    return {"mesh numbers": pointers[first : first + count].tolist(), "mesh tree": shown}


# Angles are compared as rotations; their encoding does not change poses.
_SPELLING_OF_KEYS = frozenset({"angles", "kinds", "padding", "frame_size"})


def _state_changes(level: Level, row: int) -> tuple[StateChange, ...]:
    return decode_state_changes(level.animations, level.state_changes, level.animation_dispatches, row)


def _commands(level: Level, row: int) -> tuple[AnimationCommand, ...]:
    record = level.animations[row]
    first, count = int(record["first_command"]), int(record["commands"])
    start = int(record["first_frame"])
    return decode_commands(level.animation_commands, first, count, first_frame=start)


_OF_ANIMATIONS = ("animations", "state_changes", "animation_dispatches", "animation_commands", "frames")


def _animations(old: Level, new: Level, rebuilt: bool) -> list[Path]:
    if not hasattr(old, "animations"):
        return []
    if _alike(old, new, *_OF_ANIMATIONS, "models"):
        return []
    found = _plain(("animations",), old.animations, new.animations, PLACES["animations"])
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
        for name in _names(one, two, but=_SPELLING_OF_KEYS | ({"boxes"} if rebuilt else set())):
            found += _plain((*path, name), getattr(one, name), getattr(two, name))
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


def same_sectors(one: Any, other: Any) -> bool:
    """Return whether two ``Sectors``, or two parts of them, are equal, field by field."""
    if is_dataclass(one):
        return all(same_sectors(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return np.array_equal(one, other)
