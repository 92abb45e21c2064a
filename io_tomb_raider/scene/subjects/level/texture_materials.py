"""Materials of the external textures of a WAD2: read, shown on the level's pages, and saved.

Maps are drawn onto images with the layout of the pages, as by Tomb Editor for TombEngine. Pixels of textures
without maps are neutral there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection
from numpy.typing import NDArray

from ....formats import ExportError, FormatError
from ....formats.base import T, file_content, replace_file
from ....formats.editors.projects import ProjectPaths
from ....formats.editors.wads import (
    MAPS,
    STRENGTHS,
    TYPE,
    TYPES,
    TexturePath,
    Wad2Extras,
    Wad2Level,
    edit_material,
    new_material,
    read_material,
)
from ...core.blender.handler_suspension import handlers_suspended
from ...core.original import wad2_of
from ...core.reporting.report import Report
from ..textures.map_nodes import set_maps
from ..textures.materials import prefixed, show_bump, user_image
from ..textures.pixels import load_image

_KINDS = ("DEFAULT", "REFLECTIVE", "SKYBOX", "OTHER")
_NUMBERS = {text: number for number, name in enumerate(TYPES) for text in (name, str(number))}
_REFLECTION = 128  # of reflective textures without a specular map

# --- Files ----------------------------------------


def _image_of(root: Collection, row: Any) -> Path | None:
    """Return the image that a row of *Texture Files* names, None if it does not exist."""
    if not row.path or not root.tomb_raider.folder:
        return None
    paths = ProjectPaths(Path(root.tomb_raider.folder) / "wad2")
    return paths.find(row.name) or paths.find(row.path)


def _find(image: Path) -> tuple[Path, bytes, dict[str, str]]:
    """Return the file of an image's material, its content, and its texts, or those of a new one."""
    paths = ProjectPaths(image)
    file = paths.find(f"{image.stem}.xml")
    if file is not None:
        data = file_content(file)
        return file, data, read_material(data)
    data = new_material(image.name)
    texts = read_material(data)
    for tag, ending in MAPS.values():
        path = paths.find(f"{image.stem}{ending}{image.suffix}")
        texts[tag] = "" if path is None else path.name
    return image.with_suffix(".xml"), data, texts


def read_materials(root: Collection, report: Report) -> None:
    """Set the rows of *Texture Files* to the materials next to their images."""
    for row in root.tomb_raider.level.texture_paths:
        image = _image_of(root, row)
        row.has_image = image is not None
        if image is not None:
            try:
                _set(row, _find(image)[2])
            except (FormatError, OSError) as error:
                row.has_image = False
                report.warn(image.name, T("its material was not read: {error}", error=str(error)))


def _set(row: Any, texts: Mapping[str, str]) -> None:
    row.kind = _KINDS[_NUMBERS.get(texts.get(TYPE, TYPES[0]), -1)]
    row.has_strengths = all(path in texts for path in STRENGTHS.values())
    for name, (tag, _) in MAPS.items():
        setattr(row, name, texts.get(tag, ""))
    for name, path in STRENGTHS.items():
        setattr(row, name, float(texts.get(path, 1)))


def _changes(row: Any, image: Path, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that differ from those of a file."""
    result = {}
    for name, (tag, _) in MAPS.items():
        text, path = getattr(row, name), _plain(getattr(row, name))
        if text != texts.get(tag, ""):
            result[tag] = _relative(Path(path), image.parent) if os.path.isabs(path) else text
    number, old = _KINDS.index(row.kind), texts.get(TYPE, TYPES[0])
    if number < len(TYPES) and number != _NUMBERS.get(old):
        result[TYPE] = str(number) if old.isdigit() else TYPES[number]
    for name, path in STRENGTHS.items():
        if path in texts and np.float32(texts[path]) != np.float32(getattr(row, name)):
            result[path] = f"{getattr(row, name):.7g}"
    return {path: text for path, text in result.items() if text != texts.get(path, "")}


def save_material(root: Collection, row: Any) -> tuple[Path, bool]:
    """Write the material of a row next to its image; return the file, and whether it changed.

    Raises ExportError without an image, FormatError if the file is no material, and OSError.
    """
    image = _image_of(root, row)
    if image is None:
        raise ExportError(row.path or root.name, T("its image was not found"))
    file, data, texts = _find(image)
    changes = _changes(row, image, texts)
    if changes:
        replace_file(file, edit_material(data, texts | changes))
        with handlers_suspended():
            _set(row, texts | changes)
    return file, bool(changes)


def reload_materials(root: Collection, report: Report) -> None:
    """Read the materials of all textures again, and show them."""
    with handlers_suspended():
        read_materials(root, report)
    show_materials(root, report=report)


def unsaved_materials(root: Collection) -> Iterator[str]:
    """Yield the names of images whose materials differ from those next to them."""
    for row in root.tomb_raider.level.texture_paths:
        image = _image_of(root, row) if row.has_image else None
        try:
            if image is not None and _changes(row, image, _find(image)[2]):
                yield image.name
        except (FormatError, OSError):
            continue


def _plain(path: str) -> str:
    return bpy.path.abspath(path) if path.startswith("//") else path


def _relative(path: Path, folder: Path) -> str:
    """Return a path from a folder as Tomb Editor writes it, or the whole one from another drive."""
    try:
        return os.path.relpath(path, folder).replace("/", "\\")
    except ValueError:
        return str(path)


def moved_paths(root: Collection, extras: Wad2Extras | None, target: Path) -> Wad2Extras | None:
    """Return the data of a WAD2 with the paths of existing images from the folder of another file."""
    folder = target.absolute().parent
    if extras is None or os.path.realpath(root.tomb_raider.folder) == os.path.realpath(folder):
        return extras
    paths = dict(extras.textures)
    for number, each in extras.textures.items():
        image = _image_of(root, each)
        if image is not None:
            text = _relative(image, folder)
            is_whole = not each.name or PureWindowsPath(each.name).anchor
            paths[number] = TexturePath(each.name if is_whole else text, text)
    return replace(extras, textures=paths)


# --- Display ----------------------------------------

_NEUTRAL = (255, 255, 0, 0), (128, 128, 255, 255), (0, 0, 0, 255)  # pixels without maps
_Pictures = list[NDArray[np.uint8]]  # in the order of map_nodes.LABELS


def show_materials(
    root: Collection, wad2: Wad2Level | None = None, report: Report | None = None, number: int | None = None
) -> None:
    """Show the materials of textures on the level's pages.

    Args:
        wad2: the WAD2 of the level, None to read it from the scene.
        number: a texture; only pages with that are changed.
    """
    rows = {row.number: row for row in root.tomb_raider.level.texture_paths if row.has_image}
    wad2 = wad2 or (wad2_of(root) if rows else None)
    if wad2 is None:
        return
    sheet = wad2.sheet
    tiles = [(tile.image, int(place[0])) for tile, place in zip(sheet.tiles, sheet.places, strict=True)]
    pages = {page for image, page in tiles if number in (None, image)}
    maps: dict[int, _Pictures] = {}
    for image in sorted({image for image, page in tiles if page in pages}):
        pictures = _load(root, rows.get(image), wad2.images[image].pixels.shape, report or Report())
        if pictures:
            maps[image] = pictures
    mapped = {page for image, page in tiles if image in maps}
    shown = {
        entry.page: entry.image
        for entry in root.tomb_raider.images
        if entry.kind == "PAGE" and entry.page in pages and entry.image is not None
        if entry.page in mapped or entry.image.tomb_raider.maps is not None
    }
    drawn = [
        sheet.drawn({image: each[index] for image, each in maps.items()}, color)
        for index, color in enumerate(_NEUTRAL if shown else ())
    ]
    new = {page for page in shown.values() if page.tomb_raider.maps is None}
    for index, page in shown.items():
        set_maps(page, prefixed(root.name, f"Page {index:02}"), [pixels[index] for pixels in drawn])
    for material in bpy.data.materials if new else ():
        if material.library is None and user_image(material) in new:
            show_bump(material)


def _load(root: Collection, row: Any, shape: tuple[int, ...], report: Report) -> _Pictures:
    """Return the pictures of a texture's maps; none without maps."""
    image = None if row is None else _image_of(root, row)
    maps = {}
    for name in MAPS if image is not None else ():
        text = getattr(row, name)
        if not text or name == "height":
            continue
        path = ProjectPaths(image).find(_plain(text))
        try:
            pixels = None if path is None else load_image(path)
        except (OSError, ValueError):
            pixels = None
        if pixels is not None and pixels.shape == shape:
            maps[name] = pixels
        else:
            text = T("its map {file} is left out: it has another size, or cannot be read", file=text)
            report.warn(row.path, text)
    is_reflective = image is not None and row.kind in _KINDS[1:3]
    if not maps and not is_reflective:
        return []
    surface, normal, emission = (np.full(shape, color, np.uint8) for color in _NEUTRAL)
    surface[..., 3] = 255
    if is_reflective:
        surface[..., 1:3] = 0, _REFLECTION
    # TombEngine reads one channel of each.
    for channel, name in enumerate(("occlusion", "roughness", "specular")):
        surface[..., channel] = maps.get(name, surface)[..., channel]
    normal[..., :3] = maps.get("normal", normal)[..., :3]
    if row.kind == "DEFAULT" and row.has_strengths:
        surface[..., 2] = (surface[..., 2] * row.specular_strength).clip(0, 255)
        slope = normal[..., :2].astype(np.float32) - 128
        normal[..., :2] = (slope * row.normal_strength + 128).clip(0, 255)
    return [surface, normal, maps.get("emissive", emission)]
