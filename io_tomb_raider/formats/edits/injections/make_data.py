"""New and changed models and static meshes as data of an injection, with the textures that they use."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.records import I16
from ...base.schema.fields import Record
from ...levels.animations.animations import decode_commands, decode_state_changes, model_animations
from ...levels.animations.frames import decode_frames
from ...levels.injections.canonical import NO_FRAMES
from ...levels.injections.kinds import BlockId, ReferenceKind
from ...levels.injections.trxj import Injection
from ...levels.level.level import Level
from ...levels.meshes.meshes import Mesh, decode_meshes
from ...levels.textures.packing import object_texture_rects
from ..append.cut import PieceChoice, cut_to
from ..references.comparison import Difference
from .apply import apply_injection
from .baking import FACES, images_of

_NO_ANIMATION = 0xFFFF
_TREE_WORDS = 4  # of each mesh but the first


class Library:
    """The content of models and static meshes of a level, to be compared with those of another one."""

    def __init__(self, level: Level, *, textures: bool) -> None:
        """Store a level. `textures`: whether textures of faces count; levels may number them differently."""
        self._level, self._textures = level, textures
        self._block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
        self._firsts, self._counts = model_animations(level.models, level.animations)
        self._keys = decode_frames(level.game, level.frames, level.animations, level.models)

    def models(self) -> dict[int, tuple[object, list[object]]]:
        """Return the content of each model by its id: its meshes with their joints, and its animations."""
        rows = reversed(list(enumerate(self._level.models)))  # of duplicates the first counts
        return {int(record["id"]): self._model(row, record) for row, record in rows}

    def static_meshes(self) -> dict[int, object]:
        """Return the mesh of each static mesh by its id."""
        return {
            int(record["id"]): self._meshes(int(record["mesh"]), 1)
            for record in self._level.static_meshes[::-1]
        }

    def _model(self, row: int, record: Any) -> tuple[object, list[object]]:
        level = self._level
        count, tree = int(record["meshes"]), int(record["mesh_tree"])
        words = level.mesh_trees[tree : tree + _TREE_WORDS * max(count - 1, 0)].tobytes()
        first = int(self._firsts[row])
        size = int(self._counts[row])
        animations = [self._animation(first, first + index, size) for index in range(size)]
        return (self._meshes(int(record["first_mesh"]), count), words), animations

    def _meshes(self, first: int, count: int) -> object:
        pointers = self._block.pointers[first : first + count].tolist()
        return [self._mesh(self._block.meshes[each]) for each in pointers]

    def _mesh(self, mesh: Mesh) -> object:
        shading = mesh.lights if mesh.normals is None else mesh.normals
        parts = [mesh.vertices.tobytes(), b"" if shading is None else shading.tobytes()]
        for name in FACES:
            faces = getattr(mesh, name)
            fields = faces.dtype.names if self._textures else ("vertices",)
            parts += [np.ascontiguousarray(faces[field]).tobytes() for field in fields or ()]
        return mesh.center, mesh.radius, parts

    def _animation(self, first: int, number: int, count: int) -> object:
        level = self._level
        record = level.animations[number]
        base = int(level.animations["first_frame"][first])
        values = [int(record[name]) for name in ("frame_rate", "state", "speed", "acceleration")]
        values += [int(record[name]) - base for name in ("first_frame", "last_frame")]
        following = int(record["next_animation"]) - first
        changes: list[object] = []
        for change in decode_state_changes(
            level.animations, level.state_changes, level.animation_dispatches, number
        ):
            changes.append(change.state)
            for each in change.dispatches:
                target: object = each.next_animation
                relative = target - first if isinstance(target, int) else target
                changes.append((each.low, each.high, relative, each.next_frame))
        commands = decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"])
        )
        keys = self._keys.keys(number)
        angles = keys.angles[:, : int(self._keys.meshes[number])]  # whatever number of words they take
        parts = [each.tobytes() for each in (keys.boxes, keys.offsets, angles)]
        return values, following if 0 <= following < count else None, changes, commands, parts


def put_data(
    injection: Injection,
    level: Level,
    models: Collection[int],
    static_meshes: Collection[int],
    unmoved: Collection[int],
) -> None:
    """Add models and static meshes of a level to an injection, with textures, meshes and animations.

    Args:
        injection: without new data; it is changed.
        models, static_meshes: their ids.
        unmoved: the ids of models that keep the animations that they have.

    Raises:
        FormatError: if the meshes of the level are damaged.
    """
    choice = PieceChoice(frozenset(models), frozenset(static_meshes), frozenset(), frozenset())
    source = level.copy()
    source.models = source.models.copy()
    source.models["animation"][np.isin(source.models["id"], list(unmoved))] = _NO_ANIMATION
    cut = cut_to(source, choice)
    _cut_trees(cut)
    count = len(cut.object_textures)
    if cut.game.traits.has_palette:
        injection.add_bytes(BlockId.PALETTES, len(cut.palette), np.ascontiguousarray(cut.palette).tobytes())
    if count:
        pages = _used_pages(cut)
        words = np.zeros(pages.shape[:3], np.uint8)  # palette numbers, which later games have none of
        if cut.game.traits.has_palette:
            words = np.where(pages[..., 3] > 0, cut.textiles8, words)
        injection.add_bytes(BlockId.TEXTURE_PAGES, len(pages), pages.tobytes() + words.tobytes())
        injection.add_bytes(BlockId.OBJECT_TEXTURES, count, cut.object_textures.tobytes())
    injection.add_bytes(BlockId.MESH_POINTERS, len(cut.mesh_pointers), cut.mesh_pointers.tobytes())
    injection.add_bytes(BlockId.MESHES, len(cut.mesh_data) // I16.itemsize, cut.mesh_data.tobytes())
    for type_, records, size in (
        (7, cut.state_changes, 1),
        (8, cut.animation_dispatches, 1),
        (9, cut.animation_commands, 1),
        (10, cut.mesh_trees, _TREE_WORDS),
        (11, cut.frames, 1),
        (12, cut.animations, 1),
    ):
        if len(records):
            injection.add_bytes(type_, len(records) // size, np.ascontiguousarray(records).tobytes())
    injection.replace(BlockId.OBJECTS, [_object(record) for record in cut.models])
    injection.replace(BlockId.STATIC_MESHES, [_static_mesh(record) for record in cut.static_meshes])


def _cut_trees(cut: Level) -> None:
    """Keep the joints of the models of a level only."""
    cut.models = cut.models.copy()
    words: list[NDArray[np.int32]] = []
    size = 0
    for record in cut.models:
        start = int(record["mesh_tree"])
        part = cut.mesh_trees[start : start + _TREE_WORDS * max(int(record["meshes"]) - 1, 0)]
        record["mesh_tree"] = size
        words.append(part)
        size += len(part)
    cut.mesh_trees = np.concatenate([cut.mesh_trees[:0], *words])


def _used_pages(cut: Level) -> NDArray[np.uint8]:
    """Return the pages, (n, 256, 256, 4), transparent where no texture is: other pixels are not the mod's."""
    pages = images_of(cut)
    is_used = np.zeros(pages.shape[:3], np.bool_)
    for page, x, y, width, height in object_texture_rects(cut.object_textures, cut.game).tolist():
        if page < len(is_used):
            is_used[page, y : y + height, x : x + width] = True
    return pages * is_used[..., None].astype(np.uint8)


def _object(record: Any) -> Record:
    animation = int(record["animation"])
    has_animation = animation != _NO_ANIMATION
    return {
        "object": {"kind": ReferenceKind.MODEL, "id": int(record["id"])},
        "mesh_count": int(record["meshes"]),
        "first_mesh": int(record["first_mesh"]),
        "tree": int(record["mesh_tree"]),
        "frame": int(record["frame_offset"]) if has_animation else NO_FRAMES,
        "animation": animation if has_animation else -1,
    }


def _static_mesh(record: Any) -> Record:
    return {
        "id": int(record["id"]),
        "mesh": int(record["mesh"]),
        "visibility_box": record["visibility_box"].tolist(),
        "collision_box": record["collision_box"].tolist(),
        "flags": int(record["flags"]),
    }


def put_models(injection: Injection, before: Level, after: Level) -> tuple[set[int], set[int]]:
    """Add models and static meshes that edits cannot express. Return their ids."""
    applied = apply_injection(injection, before).level
    old, new = Library(applied, textures=True), Library(after, textures=True)
    old_models, new_models = old.models(), new.models()
    models = {number for number, content in new_models.items() if old_models.get(number) != content}
    old_meshes, new_meshes = old.static_meshes(), new.static_meshes()
    statics = {number for number, content in new_meshes.items() if old_meshes.get(number) != content}
    if not models and not statics:
        return models, statics
    unmoved = {
        number for number in models & old_models.keys() if old_models[number][1] == new_models[number][1]
    }
    for type_ in _OF_MODELS:
        records = injection.records(type_)
        injection.replace(type_, [each for each in records if each["object"]["id"] not in models])
    injection.replace(
        BlockId.STATIC_MESH_EDITS,
        [each for each in injection.records(BlockId.STATIC_MESH_EDITS) if each["id"] not in statics],
    )
    put_data(injection, after, models, statics, unmoved)
    return models, statics


_OF_MODELS = (
    BlockId.MESH_EDITS,
    BlockId.FRAME_ROTATIONS,
    BlockId.COMMAND_COUNTS,
    BlockId.FRAME_EDITS,
    BlockId.ANIMATION_SPEEDS,
)
# Sections that new models append to, or whose numbers change with them.
_LIBRARY = frozenset(
    {
        "meshes",
        "models",
        "animations",
        "frames",
        "state_changes",
        "animation_dispatches",
        "animation_commands",
        "mesh_trees",
        "static_meshes",
    }
)
_APPENDED = frozenset({"object_textures", "textiles8", "textiles16"})


def is_of_library(difference: Difference, before: Level, applied: Level) -> bool:
    """Return whether a difference only comes from models that were added with their textures."""
    if difference.section in _LIBRARY:
        return True
    if difference.section not in _APPENDED:
        return False
    old: Any = getattr(before, difference.section)
    return difference.element < 0 or difference.element >= len(old)


def lost_models(applied: Level, after: Level) -> list[Difference]:
    """Return the models and static meshes that still differ, apart from the numbers of textures."""
    old, new = Library(applied, textures=False), Library(after, textures=False)
    result = []
    old_models, new_models = old.models(), new.models()
    for number, (parts, animations) in old_models.items():
        # A model whose successor moved seems to have the old animations of that, too.
        count = len(new_models.get(number, (0, []))[1])
        old_models[number] = parts, animations[:count]
    for section, old_contents, new_contents in (
        ("models", old_models, new_models),
        ("static_meshes", old.static_meshes(), new.static_meshes()),
    ):
        ids = [int(each) for each in getattr(after, section)["id"]]
        result += [
            Difference(section, ids.index(number), "differs")
            for number, content in new_contents.items()
            if old_contents.get(number) != content
        ]
        missing = len(old_contents.keys() - new_contents.keys())
        result += [Difference(section, -1, f"{missing} fewer")] if missing else []
    return result
