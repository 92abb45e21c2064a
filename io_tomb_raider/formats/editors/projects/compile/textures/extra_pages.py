"""The pages of font and sky of TR4 and TR5."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .....base.bytes.files import file_content
from .....base.errors import FormatError
from .....base.messages import T, about
from .....levels.level.level import Level
from .....levels.textures.textiles import PAGE_SIZE, encode_pages32
from ...model.settings import Settings
from ..plan.log import Log
from ..plan.resources import Resources

_EXTRA, _FONT, _SKY = -3, -2, -1  # the last pages; TR4 has no extra sprites
_RGB = 3
_CHANNELS = {".raw": _RGB, ".pc": 4}  # red, green, blue; or blue, green, red, alpha
_PIXELS = PAGE_SIZE * PAGE_SIZE


def put_extra_pages(level: Level, settings: Settings, resources: Resources, log: Log) -> None:
    """Set the font, the sky, and the extra sprites of TR5 that a project names (TR4, TR5).

    Without a name, those of the first level among the objects stay.
    """
    pages = level.misc_textiles32.copy()
    for page, path, use in (
        (_EXTRA, settings.extra_sprites_path, T("sprites")),
        (_FONT, settings.font_path, T("font")),
        (_SKY, settings.sky_path, T("sky")),
    ):
        if -page > len(pages) or not path.strip():
            continue
        image = _image(path, use, resources)
        if image is None:
            continue
        if image.shape[:2] != (PAGE_SIZE, PAGE_SIZE):
            log.warn(about(path, T("the image must have {size} x {size} pixels", size=PAGE_SIZE)))
            continue
        pages[page] = encode_pages32(image[None])[0]
    level.misc_textiles32 = pages
    if not pages[_FONT].any():
        log.warn(T("the level has no font: choose one in the project, or a level with one among its objects"))


def _image(path: str, use: str, resources: Resources) -> NDArray[np.uint8] | None:
    """Return an image of the project, None if it is missing or damaged."""
    file = resources.find(path, use)
    if file is None:
        return None
    channels = _CHANNELS.get(file.suffix.lower())
    if channels is None:
        return resources.image_file(file)
    try:
        content = np.frombuffer(file_content(file), np.uint8)
    except (OSError, FormatError) as error:
        resources.problems.append(about(file.name, str(error)))
        return None
    if len(content) < _PIXELS * channels:
        problem = T("the image must have {size} x {size} pixels", size=PAGE_SIZE)
        resources.problems.append(about(file.name, problem))
        return None
    pixels = content[: _PIXELS * channels].reshape(PAGE_SIZE, PAGE_SIZE, channels)
    image = np.full((PAGE_SIZE, PAGE_SIZE, 4), 255, np.uint8)
    if channels == _RGB:
        image[..., :3] = pixels
        return image
    return np.ascontiguousarray(pixels[..., [2, 1, 0, 3]])
