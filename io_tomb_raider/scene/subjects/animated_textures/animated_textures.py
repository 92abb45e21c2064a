"""Animated textures (documentation, chapter 9.4): ordered lists of frames on the level's root collection.

A face plays an animated texture through its material. In the file a face plays the animated texture that its
object texture is part of, so animated and static faces never share object textures.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bpy.types import Collection, Image, Mesh
from numpy.typing import NDArray

from ....formats import ExportError, Game, Level
from ....formats.base import T
from ....formats.levels.level import page_count
from ....formats.levels.textures import (
    MOST_SCROLLING_FRAMES,
    MOST_SCROLLING_GROUPS,
    RAW_PER_PIXEL,
    FaceTextures,
    ObjectTextureTable,
    decode_animated,
    decode_object_textures,
    encode_animated,
    group_labels,
    mapping_correction,
    mesh_texture_mask,
    raw_to_uv,
    room_texture_mask,
    snap_to_pixels,
    turn_corners,
)
from ...core.context import ExportContext, ImportContext
from ...core.membership import members
from ...core.record_fields import take_over
from ...core.space import whole
from ...core.stages import ImportStage, Steps
from ..meshes.arrays import MESH_ARRAYS, MESHES, ROOM_MESHES, TEXTURE, MeshArrays
from ..textures.animation_nodes import START
from ..textures.materials import IMAGES, belongs_to
from ..textures.user_images import PictureRequest, bump_of, pixel_boxes
from .waterfalls import show_waterfalls

_SUBJECT = "ANIMATED_TEXTURES"
# Duration of a frame, in frames of the scene: five ticks, and half of that since TR3.
_PACES = {Game.TR1: 5.0, Game.TR2: 5.0, Game.TR3: 2.5, Game.TR4: 2.5, Game.TR5: 2.5}


def texture_labels(level: Level) -> NDArray[np.int64]:
    """Return the animated texture that contains each object texture of a level, from 1, or 0, (n,)."""
    count = len(level.object_textures) if level.has("object_textures") else 0
    return group_labels(_animated(level), count)


def _animated(level: Level) -> NDArray[Any]:
    """Return the words of a level's animated textures; empty for a file that has textiles only."""
    return level.animated_textures if level.has("animated_textures") else np.zeros(0, np.uint16)


class _Records:
    """The object textures of a level, as values of frames."""

    def __init__(self, level: Level) -> None:
        self._decoded = decode_object_textures(level.object_textures, level.game)
        self.raw: NDArray[np.uint16] = level.object_textures["uv"]

    @property
    def of_rooms(self) -> NDArray[np.bool_]:
        """Whether each object texture is flagged for faces of rooms, (n,)."""
        return self._decoded.room

    def values(self, index: int) -> dict[str, Any] | None:
        """Return the properties of a frame that shows an object texture, or None if the index is invalid."""
        if not 0 <= index < len(self.raw):
            return None
        decoded = self._decoded
        return {
            "page": int(decoded.page[index]),
            "corners": (self.raw[index].ravel() / RAW_PER_PIXEL).tolist(),
            "is_triangle": bool(decoded.triangle[index]),
            "attribute": int(decoded.attribute[index]),
            "bump": int(decoded.bump[index]),
        }


# --- Import ----------------------------------------


def _import_lists(context: ImportContext) -> None:
    """List the level's animated textures on its root; materials, made later, refer to them."""
    level, root, images = context.level, context.root, IMAGES.of(context)
    root.tomb_raider.imported |= {_SUBJECT}
    settings = root.tomb_raider.animated
    settings.frames_per_picture = _PACES[level.game]
    records = _Records(level)
    scrolling = level.uv_rotates
    for number, textures in enumerate(decode_animated(level.animated_textures).groups):
        group = settings.groups.add()
        group.name, group.uid = f"Animated Texture {number}", number + 1
        if number < scrolling:
            group.scrolls = True
        for texture in textures:
            frame = group.frames.add()
            frame.texture = texture
            values = records.values(texture)
            if values is None:
                continue
            for name, value in values.items():
                setattr(frame, name, value)
            image = images.get(("PAGE", values["page"]))
            if image is not None:
                frame.image = image[0]


def scroll_speed_of(root: Collection) -> int | None:
    """Return the speed of scrolling textures for the script, in pixels per frame, or None without any."""
    settings = root.tomb_raider.animated
    return round(settings.scroll_speed) if any(group.scrolls for group in settings.groups) else None


def _import_starts(context: ImportContext) -> None:
    """Store on faces the frame that they begin with, in meshes where it is not always the first one."""
    if not context.root.tomb_raider.animated.groups:
        return
    game = context.level.game
    starts = np.zeros(len(context.level.object_textures) + 1, np.int32)
    for textures in reversed(decode_animated(context.level.animated_textures).groups):
        for frame, texture in reversed(list(enumerate(textures))):
            starts[min(texture, len(starts) - 1)] = frame
    starts[-1] = 0
    meshes = zip(MESHES.of(context).values(), MESH_ARRAYS.of(context), strict=True)
    pairs: list[tuple[Mesh, MeshArrays, int]] = [
        *((mesh, arrays, mesh_texture_mask(game)) for mesh, arrays in meshes),
        *((mesh, arrays, room_texture_mask(game)) for mesh, arrays in ROOM_MESHES.of(context)),
    ]
    for mesh, arrays, mask in pairs:
        if any(key.group for key in arrays.slots[0]):
            is_animated = arrays.keys["group"] > 0
            indices = np.minimum(arrays.face[TEXTURE].astype(np.int64) & mask, len(starts) - 1)
            write_starts(mesh, np.where(is_animated, starts[indices], 0))


def write_starts(mesh: Mesh, starts: NDArray[Any]) -> None:
    """Set the first frame of each face of a mesh, (n,); no attribute is added if all are 0."""
    layer = mesh.attributes.get(START)
    if layer is None:
        if not starts.any():
            return
        layer = mesh.attributes.new(START, "INT", "FACE")
    layer.data.foreach_set("value", np.ascontiguousarray(starts, np.int32))


# --- Export ----------------------------------------


@dataclass(eq=False)
class _Frame:
    """A frame to be written."""

    subject: str  #: the group's name, for errors.
    label: int  #: the group's number.
    index: int = -1  #: the word in the file; -1 until there is an object texture for it.
    kept: int = -1  #: the unchanged object texture of the original, or -1.
    image: Image | None = None  #: the user's own picture, or None.
    page: int = -1  #: the texture page, if the frame has no picture of the user's own.
    #: (4, 2) uint16, corners on the page, or on the picture in 1/256 pixels.
    raw: NDArray[Any] = field(default_factory=lambda: np.zeros((4, 2), np.int64))
    is_triangle: bool = False
    attribute: int = 0
    bump: int = 0


def _is_own(image: Image | None) -> bool:
    """Return whether an image is a picture of the user's own, not a page of a level."""
    return image is not None and image.tomb_raider.kind == "NONE"


class AnimatedExport:
    """Export of animated textures: their object textures together with those of faces, then the lists."""

    def __init__(self, context: ExportContext) -> None:
        self.context = context
        self._records = _Records(context.original) if context.original.has("object_textures") else None
        self.is_imported = _SUBJECT in context.root.tomb_raider.imported
        self._groups = self._scene_groups() if self.is_imported else self._original_groups()
        self._claim()
        # A record of the original belongs to the first group that keeps it.
        self.labels = np.zeros(len(context.original.object_textures), np.int64)
        for frame in reversed(self._frames):
            if self.is_imported and frame.kept >= 0:
                self.labels[frame.kept] = frame.label

    @property
    def _frames(self) -> list[_Frame]:
        return [frame for group in self._groups for frame in group]

    @property
    def numbers(self) -> set[int]:
        """The numbers by which materials refer to the level's animated textures."""
        return {group[0].label for group in self._groups} if self.is_imported else set()

    # Frames

    def _original_groups(self) -> list[list[_Frame]]:
        words = _animated(self.context.original)
        return [
            [self._frame("Animated textures", number, texture) for texture in group]
            for number, group in enumerate(decode_animated(words).groups, 1)
        ]

    def _frame(self, subject: str, label: int, texture: int) -> _Frame:
        """Return the frame for a word of the original."""
        assert self._records is not None
        frame, values = _Frame(subject, label), self._records.values(texture)
        if values is None:
            frame.index = texture
            return frame
        frame.kept = texture
        frame.page, frame.is_triangle = values["page"], values["is_triangle"]
        frame.attribute, frame.bump = values["attribute"], values["bump"]
        frame.raw = self._records.raw[texture].astype(np.int64)
        return frame

    def _scene_groups(self) -> list[list[_Frame]]:
        root = self.context.root
        groups = list(root.tomb_raider.animated.groups)
        if self.context.original.game.traits.has_scrolling_textures:
            # The file has only the number of scrolling groups, which are first.
            groups.sort(key=lambda group: not group.scrolls)
        result, played = [], self._played()
        surface = root.tomb_raider.water_surface.material  # for rooms that are still to be added
        reserved = 0 if surface is None else surface.tomb_raider.animation
        for group in groups:
            if not len(group.frames):
                self.context.report.warn(group.name, T("it has no frames and is left out"))
                continue
            if group.uid not in played and all(_is_own(frame.image) for frame in group.frames):
                text = T("no face plays it, so it is left out: select faces, and use Play on Selected Faces")
                if group.uid != reserved:
                    self.context.report.warn(group.name, text)
                continue
            result.append([self._scene_frame(group, index) for index in range(len(group.frames))])
        return result

    def _played(self) -> set[int]:
        """Return the numbers of the animated textures that materials of meshes play."""
        meshes = (obj.data.materials for obj in members(self.context.root) if isinstance(obj.data, Mesh))
        return {each.tomb_raider.animation for materials in meshes for each in materials if each is not None}

    def _scene_frame(self, group: Any, index: int) -> _Frame:
        settings = group.frames[index]
        original = self._frame(group.name, group.uid, settings.texture) if settings.texture >= 0 else None
        image = settings.image
        of_level = image is None or (
            image.tomb_raider.kind == "PAGE" and belongs_to(image, self.context.root)
        )
        page = settings.page if image is None else image.tomb_raider.page
        corners = np.array(list(settings.corners), np.float64).reshape(4, 2)
        values = page, settings.is_triangle, settings.attribute, settings.bump
        if original is not None and of_level:
            same = values == (original.page, original.is_triangle, original.attribute, original.bump)
            if same and np.array_equal(corners * RAW_PER_PIXEL, original.raw):
                return original
        if not np.isfinite(corners).all():
            raise ExportError(group.name, T("the corners of frame {place} are not numbers", place=index))
        if of_level and not 0 <= page < page_count(self.context.original):
            raise ExportError(group.name, T("frame {place} shows no image", place=index))
        raw = whole(corners * RAW_PER_PIXEL)
        return _Frame(
            subject=group.name,
            label=group.uid,
            image=None if of_level else image,
            page=page if of_level else -1,
            raw=raw.clip(0, 0xFFFF) if of_level else raw,
            is_triangle=settings.is_triangle,
            attribute=settings.attribute,
            bump=settings.bump,
        )

    def _claim(self) -> None:
        """Assign each record of the original to one group, unless groups shared it in the file.

        Frames that were copied into another group get new records.
        """
        if not self.is_imported:
            return
        words = _animated(self.context.original)
        originals = {
            (number, texture)
            for number, group in enumerate(decode_animated(words).groups, 1)
            for texture in group
        }
        claimed = {frame.kept for frame in self._frames if (frame.label, frame.kept) in originals}
        for frame in self._frames:
            if frame.kept < 0 or (frame.label, frame.kept) in originals:
                continue
            if frame.kept in claimed:
                frame.kept = -1
            else:
                claimed.add(frame.kept)

    # Object textures

    def requests(self) -> list[PictureRequest]:
        """Return the requests to pack the user's own pictures."""
        result = []
        for number, frame in enumerate(self._frames):
            if frame.image is None:
                continue
            size = frame.image.size
            uv = (frame.raw / RAW_PER_PIXEL / np.maximum((size[0], size[1]), 1)).astype(np.float32)
            uv[:, 1] = 1 - uv[:, 1]
            triangle = np.array([frame.is_triangle])
            result.append(
                PictureRequest(
                    ("frame", number),
                    frame.subject,
                    uv[None],
                    triangle,
                    image=frame.image,
                    attribute=frame.attribute,
                    bump=bump_of(frame.image, frame.bump, self.context.original.game),
                )
            )
        return result

    def shown(self) -> NDArray[np.int64]:
        """Return the boxes of pixels that frames use on pages of the level; nothing may be packed there."""
        frames = [frame for frame in self._frames if frame.page >= 0]
        raw = np.array([frame.raw for frame in frames], np.uint16).reshape(-1, 4, 2)
        triangle = np.array([frame.is_triangle for frame in frames], np.bool_)
        return pixel_boxes(np.array([frame.page for frame in frames], np.int64), raw_to_uv(raw), triangle)

    def add_to(self, table: ObjectTextureTable, pictures: Mapping[Hashable, FaceTextures]) -> None:
        """Assign an object texture to every frame; new frames get one that no face shares."""
        for number, frame in enumerate(self._frames):
            if frame.image is not None:
                picture = pictures["frame", number]
                frame.page, frame.raw = int(picture.page[0]), picture.raw[0].astype(np.int64)
                frame.bump = 0 if picture.bump is None else int(picture.bump[0])
        for group in self._groups:
            self._follow_conventions(group)
        if not self.context.rebuild:
            for frame in self._frames:
                frame.index = frame.kept if frame.kept >= 0 else frame.index
        shared: dict[Any, list[_Frame]] = {}
        for frame in self._frames:
            if frame.index < 0:
                # Groups of the file may contain a record twice.
                shared.setdefault(frame.kept if frame.kept >= 0 else frame, []).append(frame)
        firsts = [frames[0] for frames in shared.values()]
        index = table.seed(self._face_textures(firsts), "animated textures")
        for frames, number in zip(shared.values(), index.tolist(), strict=True):
            for frame in frames:
                frame.index = number

    def _follow_conventions(self, group: list[_Frame]) -> None:
        """Snap corners of new frames as the games expect, and rotate all frames to the same first corner."""
        new = [frame for frame in group if frame.index < 0 and frame.kept < 0]
        if not new:
            return
        game = self.context.original.game
        raw = np.array([frame.raw for frame in new], np.uint16)
        triangle = np.array([frame.is_triangle for frame in new])
        raw = snap_to_pixels(raw, triangle, game)
        if game.traits.has_texture_flags and len(new) == len(group):
            # All frames of a group need the same rotation, because faces refer to only one of them.
            turn = mapping_correction(raw[:1], triangle[:1]).rotation
            raw = turn_corners(raw, triangle, np.repeat(turn, len(raw)))
        raw[triangle, 3] = 0
        for frame, corners in zip(new, raw, strict=True):
            frame.raw = corners.astype(np.int64)

    def _face_textures(self, frames: list[_Frame]) -> FaceTextures:
        of_rooms = np.zeros(len(frames), np.bool_)
        if self.context.original.game.traits.has_texture_flags and self._records is not None:
            # Most animated textures are used by rooms.
            before = self._records.of_rooms
            of_rooms[:] = [before[frame.kept] if frame.kept >= 0 else True for frame in frames]
        label = [frame.label if self.is_imported else 0 for frame in frames]
        return FaceTextures(
            page=np.array([frame.page for frame in frames], np.int64),
            attribute=np.array([frame.attribute for frame in frames], np.int64),
            raw=np.array([frame.raw for frame in frames], np.uint16).reshape(-1, 4, 2),
            triangle=np.array([frame.is_triangle for frame in frames], np.bool_),
            bump=np.array([frame.bump for frame in frames], np.int64),
            room=of_rooms,
            group=np.array(label, np.int64),
        )

    # The lists

    def finish(self) -> None:
        """Write the lists, after all frames have their object textures."""
        context, original = self.context, self.context.original
        if not original.has("animated_textures"):
            return
        lists = [[frame.index for frame in group] for group in self._groups]
        words = encode_animated(lists, original.animated_textures)
        context.level.animated_textures = take_over(
            context, "animated_textures", original.animated_textures, words
        )
        if original.game.traits.has_scrolling_textures and self.is_imported:
            self._write_scrolling(lists)

    def _write_scrolling(self, lists: list[list[int]]) -> None:
        original = self.context.original
        groups = [group for group in self.context.root.tomb_raider.animated.groups if len(group.frames)]
        count = sum(group.scrolls for group in groups)
        before = decode_animated(original.animated_textures).groups
        if min(int(original.uv_rotates), len(before)) == count:
            return
        if count > MOST_SCROLLING_GROUPS:
            problem = T("too many scrolling textures")
            raise ExportError(T("animated textures"), problem, count=count, limit=MOST_SCROLLING_GROUPS)
        longest = max((len(each) for each in lists[:count]), default=0)
        if longest > MOST_SCROLLING_FRAMES:
            problem = T("too many frames in a scrolling texture")
            raise ExportError(T("animated textures"), problem, count=longest, limit=MOST_SCROLLING_FRAMES)
        self.context.level.uv_rotates = count
        self.context.rebuilt.count("animated_textures")


def group_named(root: Collection, number: int) -> Any | None:
    """Return the animated texture of a level by its number, or None."""
    return next((group for group in root.tomb_raider.animated.groups if group.uid == number), None)


def _import_faces(context: ImportContext) -> None:
    _import_starts(context)
    show_waterfalls(context)


STEPS = Steps({ImportStage.TEXTURES: _import_lists, ImportStage.ANIMATIONS: _import_faces})
