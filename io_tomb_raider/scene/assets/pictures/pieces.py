"""Small pictures of a level's objects without a scene, drawn from the file on demand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ....formats import FormatError, Level
from ....formats.base import Pixels
from ....formats.edits.append import Box, Texture, textures_of
from ....formats.levels.sounds import decode_sound, run_of, sample_waves
from ....formats.levels.textures import BlendMode, decode_sprites
from ....formats.levels.views import Decoded
from ...authoring.texture_regions.regions import resampled
from ...subjects.sounds.waveform import drawn_loudness
from .raster import RasterFaces, draw_faces
from .solids import ObjectFaces
from .studio import AT_MODELS, AT_ROOMS

SIZE = 128  # pixels, in both directions
_FINER = 2  # supersampling factor in both directions


class PiecePictures:
    """Draws objects of one level."""

    def __init__(self, level: Level) -> None:
        """Start with a level. `level`: a whole level, or objects as a level; it is not changed."""
        self._level, self._decoded = level, Decoded(level)
        self._solids = ObjectFaces(self._decoded)

    def picture(self, kind: str, number: int) -> NDArray[np.float32] | None:
        """Return the picture of an object, (SIZE, SIZE, 4) float32 bottom row first, with transparency.

        Args:
            kind: "model", "static", "sprite", "sound", "room" or "texture".
            number: as in :class:`~...transfer.engine.contents.Piece`.

        Returns:
            None if nothing is visible, or something that it refers to is damaged.
        """
        try:
            if kind == "sound":
                return self._sound(number)
            pixels = self._flat(kind, number) if kind in ("sprite", "texture") else self._solid(kind, number)
        except FormatError:  # appending it raises the error
            return None
        return None if pixels is None else for_preview(pixels)

    # --- Faces

    def _solid(self, kind: str, number: int) -> Pixels | None:
        draw = {"model": self._solids.model, "static": self._solids.static, "room": self._solids.room}[kind]
        x, y, z = AT_ROOMS if kind == "room" else AT_MODELS
        return draw_small(draw(number), self._decoded.texels, (x, -z, y))

    # --- Texels

    def _flat(self, kind: str, number: int) -> Pixels | None:
        box = self._sprites.get(number) if kind == "sprite" else None
        texture = self._textures.get(number) if kind == "texture" else None
        is_opaque = False
        if texture is not None:
            box = texture.frames[0].box
            is_opaque = texture.frames[0].attribute == BlendMode.OPAQUE
        if box is None or not 0 <= box.page < len(self._decoded.texels):
            return None
        texels = self._decoded.texels[box.page, max(box.top, 0) : box.bottom, max(box.left, 0) : box.right]
        if not texels.size:
            return None
        if is_opaque:
            texels = texels.copy()
            texels[..., 3] = 255
        return _fitted(texels)

    @cached_property
    def _sprites(self) -> dict[int, Box]:
        """The first picture of each sequence."""
        level = self._level
        decoded = decode_sprites(level.sprite_textures, level.game)
        result: dict[int, Box] = {}
        for record in level.sprite_sequences:
            first = int(record["first"])
            if 0 <= first < len(decoded) and int(record["negative_length"]) < 0:
                left, top, width, height = decoded.rect[first].tolist()
                box = Box(int(decoded.page[first]), left, top, left + width, top + height)
                result.setdefault(int(record["id"]), box)
        return result

    @cached_property
    def _textures(self) -> dict[int, Texture]:
        return {each.number: each for each in textures_of(self._level)}

    # --- Sounds

    def _sound(self, number: int) -> NDArray[np.float32] | None:
        level = self._level
        indices = run_of(level.sound_details[int(level.sound_map[number])])
        data = next((self._waves[each] for each in indices if each < len(self._waves)), b"")
        if not data:
            return None  # its samples are in a file next to the level
        samples, _ = decode_sound(data)
        return drawn_loudness(np.abs(samples).max(axis=1), SIZE) if samples.size else None

    @cached_property
    def _waves(self) -> list[bytes]:
        return sample_waves(self._level)


def _fitted(texels: Pixels) -> Pixels:
    """Return texels centered in a picture, as large as possible."""
    height, width = texels.shape[:2]
    largest = max(height, width)
    size = max(round(height * SIZE / largest), 1), max(round(width * SIZE / largest), 1)
    result = np.zeros((SIZE, SIZE, 4), np.uint8)
    top, left = (SIZE - size[0]) // 2, (SIZE - size[1]) // 2
    result[top : top + size[0], left : left + size[1]] = resampled(texels, size[1], size[0])
    return result


def draw_small(
    faces: RasterFaces, pages: Sequence[Pixels] | Pixels, direction: tuple[float, float, float], **look: float
) -> Pixels | None:
    """Draw faces, (SIZE, SIZE, 4), with smooth edges; arguments as for :func:`~.raster.draw_faces`."""
    pixels = draw_faces(faces, pages, direction, SIZE * _FINER, **look)
    return None if pixels is None else resampled(pixels, SIZE, SIZE)


def for_preview(pixels: Pixels) -> NDArray[np.float32]:
    """Return a picture as previews store it: from 0 to 1, bottom row first."""
    pixels[pixels[..., 3] == 0] = 0
    return np.ascontiguousarray(pixels[::-1], np.float32) / np.float32(255)
