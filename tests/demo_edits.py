"""The demo's three edits, and the check that a level differs in exactly these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Collection, Image, Object
from numpy.typing import NDArray

from io_tomb_raider.formats import Level
from io_tomb_raider.scene.core.blender import compat
from tests.compare import Path, differences
from tests.scene.scenes import objects

STRETCH = 160  # units that the top of a mesh is drawn up by
STEP = 512  # units that an entity is moved by
_SMALLEST = 32  # pixels: minimum size for a legible letter
_PAINT = np.array((255, 40, 200, 255), np.uint8)
_PAPER = np.array((250, 240, 120, 255), np.uint8)

# A letter that differs when it is upside down, rotated or mirrored.
_LETTER = ("#######", "#.....#", "#.###.#", "#.#...#", "#.##..#", "#.#...#", "#.#...#", "#.....#", "#######")


@dataclass(frozen=True)
class Edit:
    """An edit: its description, and the expected differences."""

    words: str
    expected: frozenset[Path]


class Texture(NamedTuple):
    """A rectangle on a texture page: x from the left, y from the top, width, height in pixels."""

    page: int
    place: tuple[int, int, int, int]


@dataclass(frozen=True)
class Painting:
    """A painted texture, with a description."""

    words: str
    texture: Texture


# --- Subjects ----------------------------------------------------------------------------------------


def model_of(entity: Object) -> Object | None:
    """Return the armature of an entity's model."""
    shown = entity.instance_collection
    return shown.tomb_raider.model if shown is not None else None


def parts_of(armature: Object) -> list[Object]:
    """Return the meshes of a model, in bone order."""
    parts = [obj for obj in armature.children if obj.tomb_raider.kind == "MODEL_MESH"]
    return sorted(parts, key=lambda obj: obj.tomb_raider.index)


def choose_subject(root: Collection) -> Object:
    """Return the main entity of the demo: Lara, or else the one with the most meshes."""
    models = [(obj, model_of(obj)) for obj in objects(root, "ENTITY")]
    shown = [(obj, model) for obj, model in models if model is not None]
    if not shown:
        raise SystemExit("This level has no entity with a model, so there is nothing to demonstrate.")
    lara = [obj for obj, model in shown if model.tomb_raider.model.id == 0]
    return lara[0] if lara else max(shown, key=lambda pair: len(parts_of(pair[1])))[0]


def figure_of(subject: Object) -> list[Object]:
    """Return the armatures of the models that the game draws for an entity. All have the same bones."""
    own = model_of(subject)
    assert own is not None
    # The collections of Lara's skin and joints are inside that of her model.
    return [part.tomb_raider.model for part in subject.instance_collection.children] or [own]


def model_collection(armature: Object) -> Collection:
    """Return the collection of the library that holds a model."""
    return next(each for each in armature.users_collection if each.tomb_raider.kind == "MODEL")


def pose(figure: Sequence[Object], action: Action) -> None:
    """Assign an action to all armatures of a figure."""
    for armature in figure:
        compat.assign_action(armature, action)
        armature.update_tag()  # in every scene, not only that of the window


def room_of(entity: Object) -> Object | None:
    """Return the room of an entity."""
    return entity.tomb_raider.entity.room


# --- The edits ---------------------------------------------------------------------------------------


def stretch_head(armature: Object, scale: float) -> Edit:
    """Move up the top half of the highest mesh of a model."""
    bones: Any = armature.data.bones
    part = max(parts_of(armature), key=lambda part: bones[part.parent_bone].head_local.z)
    mesh: Any = part.data
    positions: Any = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", positions)
    heights = positions.reshape(-1, 3)[:, 2]
    upper = heights > (heights.min() + heights.max()) / 2
    heights[upper] += STRETCH * scale
    mesh.vertices.foreach_set("co", positions)
    mesh.update()
    number = mesh.tomb_raider.index
    moved = [("meshes", number, "vertices", int(row), "value") for row in np.flatnonzero(upper)]
    words = f"{part.name} (mesh {number}): {len(moved)} of {len(mesh.vertices)} vertices moved up"
    return Edit(words, frozenset(moved))


def paint_page(root: Collection, texture: Texture) -> Painting:
    """Paint a letter over a texture."""
    page, (left, top, width, height) = texture
    image = page_image(root, page)
    pixels = read_image(image)
    rows = np.arange(height) * len(_LETTER) // height
    columns = np.arange(width) * len(_LETTER[0]) // width
    drawn = np.array([list(row) for row in _LETTER])[rows[:, None], columns] == "#"
    pixels[top : top + height, left : left + width] = np.where(drawn[..., None], _PAINT, _PAPER)
    values: Any = (pixels[::-1].astype(np.float32) / 255).ravel()
    image.pixels.foreach_set(values)
    image.update()
    words = f"texture page {page}: a framed letter F over {width} x {height} texels at ({left}, {top})"
    return Painting(words, texture)


def page_image(root: Collection, page: int) -> Image:
    """Return the image of a texture page."""
    entries = root.tomb_raider.images
    return next(entry.image for entry in entries if entry.kind == "PAGE" and entry.page == page)


def read_image(image: Any) -> NDArray[np.uint8]:
    """Return the pixels of an image as RGBA rows from top to bottom."""
    width, height = image.size[0], image.size[1]
    pixels: Any = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    return np.rint(pixels.reshape(height, width, 4)[::-1] * 255).astype(np.uint8)


def choose_texture(faces: Mapping[tuple[Object, int], int]) -> Texture:
    """Return the most visible texture; ``faces`` maps the faces of rooms to their visible share."""
    shown: Counter[Texture] = Counter()
    for (room, number), share in faces.items():
        mesh = room.data
        face = mesh.polygons[number]
        settings = mesh.materials[face.material_index].tomb_raider
        uvs = [mesh.uv_layers.active.uv[corner].vector for corner in face.loop_indices]
        # Textures may end in the middle of a texel, which is visible then.
        left, bottom = np.floor(np.min(uvs, axis=0) * 256 + 0.01).astype(int).tolist()
        right, top = np.ceil(np.max(uvs, axis=0) * 256 - 0.01).astype(int).tolist()
        place = left, 256 - top, right - left, top - bottom
        if settings.kind == "PAGE" and settings.attribute == 0 and min(place[2:]) >= _SMALLEST:
            shown[Texture(settings.page, place)] += share
    if not shown:
        raise SystemExit("No texture in sight is large enough to paint on.")
    return shown.most_common(1)[0][0]


def choose_entity(root: Collection, subject: Object, in_sight: Callable[[Object], bool]) -> Object:
    """Return the entity to move in the subject's room: preferably with a model, visible, and near."""
    room, place = room_of(subject), subject.matrix_world.translation
    others = [
        obj
        for obj in objects(root, "ENTITY")
        if obj is not subject and room_of(obj) == room and (obj.instance_collection or obj.data)
    ]

    def rank(entity: Object) -> tuple[bool, bool, float]:
        distance = (entity.matrix_world.translation - place).length
        return entity.instance_collection is None, not in_sight(entity), distance

    others.sort(key=rank)
    return others[0] if others else subject


def move_entity(entity: Object, scale: float) -> Edit:
    """Move an entity towards the middle of its room, and rotate it."""
    room = room_of(entity)
    middle = entity.location.x
    if room is not None:
        corners = [room.matrix_world @ vertex.co for vertex in room.data.vertices]
        middle = (min(corner.x for corner in corners) + max(corner.x for corner in corners)) / 2
    entity.location.x += STEP * scale * (1 if middle >= entity.location.x else -1)
    entity.rotation_euler.z += pi / 2
    number = entity.tomb_raider.index
    words = f"{entity.name} (entity {number}): moved by {STEP} units and turned by a quarter"
    return Edit(words, frozenset({("entities", number, "x"), ("entities", number, "angle")}))


# --- Check -------------------------------------------------------------------------------------------


def unexpected(old: Level, new: Level, edits: list[Edit], painting: Painting) -> list[str]:
    """Return descriptions of differences that were not edited, and of edits without a difference."""
    found = set(differences(old, new))
    pages = {
        path for path in found if path[:2] in {(name, painting.texture.page) for name in _page_forms(old)}
    }
    expected = {path for edit in edits for path in edit.expected}
    problems = [f"differs, but was not edited: {path}" for path in sorted(found - pages - expected, key=str)]
    problems += [f"was edited, but does not differ: {path}" for path in sorted(expected - found, key=str)]
    page, (left, top, width, height) = painting.texture
    for name in _page_forms(old):
        changed = _changed_texels(getattr(old, name)[page], getattr(new, name)[page])
        inside = changed[top : top + height, left : left + width]
        if changed.sum() != inside.sum():
            problems.append(f"{changed.sum() - inside.sum()} texels of {name} differ, but were not painted")
        # Some texels may already have had the color.
        if inside.sum() < width * height / 2:
            problems.append(f"only {inside.sum()} of {width * height} painted texels of {name} differ")
    return problems


def _page_forms(level: Level) -> list[str]:
    return [name for name in ("textiles8", "textiles16", "textiles32") if hasattr(level, name)]


def _changed_texels(old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.bool_]:
    return (old != new).reshape(256, 256, -1).any(axis=2)


def choose_poses(subject: Object, number: int) -> list[Action]:
    """Return some actions of an entity's model, evenly chosen from first to last."""
    model = model_of(subject)
    own = [action for action in bpy.data.actions if model is not None and action.tomb_raider.model == model]
    own.sort(key=lambda action: action.tomb_raider.index)
    count = min(number, len(own))
    return [own[place * (len(own) - 1) // max(count - 1, 1)] for place in range(count)]
