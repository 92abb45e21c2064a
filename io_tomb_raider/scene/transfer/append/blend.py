"""Levels of .blend files, as exports with all edits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import ID, Collection
from numpy.typing import NDArray

from ....formats import ExportError, Level
from ....formats.base import T, joined
from ....formats.editors.wads import Wad2Extras, is_object_file, open_objects, read_files
from ...assets.assets import assets_of
from ...core import original
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...pipeline.exporter import export_level
from ...upgrades.versions import upgrade
from ..adoption.reconciling import reconcile
from ..engine.contents import read_source

Previews = dict[tuple[str, int], NDArray[np.float32]]

# Kinds of pieces by subjects of assets. Their numbers are the same in an export.
_KEPT = {"MODELS": "model", "STATIC_MESHES": "static", "SPRITES": "sprite", "SOUNDS": "sound"}


class SourceLevel(NamedTuple):
    """The level of a file."""

    level: Level
    extras: Wad2Extras | None = None  #: what it lacks: skins, and the meshes below them.


class BlendLevel(NamedTuple):
    """A level of a .blend."""

    level: Level  #: the exported level.
    name: str  #: the name of its collection.
    others: list[str]  #: the names of the other levels of the file.
    #: the previews of its assets, (height, width, 4) float32, bottom row first, by kind and number of the
    #: pieces.
    previews: Previews
    extras: Wad2Extras | None = None  #: what the level lacks.


def level_of_blend(path: Path, name: str = "") -> BlendLevel:
    """Return a level of a .blend as an export; the open file is not changed.

    Args:
        name: the name of the collection of the level; "" for the first by name.

    Raises:
        ExportError: the file is unreadable, has no such level, or the level cannot be exported.
        FormatError: the original level in the file is damaged.
    """
    with _loaded(path) as collections:
        roots = sorted((each for each in collections if each.tomb_raider.kind == Kind.LEVEL), key=_name)
        matching = [root for root in roots if _name(root) == name] if name else roots
        if not matching:
            if not roots:
                raise ExportError(path.name, T("it has no level: choose another file"))
            listed = joined(", ", (_name(each) for each in roots))
            raise ExportError(
                path.name, T("it has no level named {name}; it has {there}", name=name, there=listed)
            )
        root = matching[0]
        upgrade(root)
        bpy.context.scene.collection.children.link(root)
        bpy.context.view_layer.update()
        # Export now: the data-blocks are removed at the end.
        reconcile(root)
        result = export_level(root)
        original.forget()
        others = [_name(each) for each in roots if each is not root]
        return BlendLevel(result.level, _name(root), others, _previews(root), result.extras)


def read_any(path: Path, report: Report, name: str = "") -> SourceLevel:
    """Read a level, a file of objects, or a .blend with a level.

    Args:
        report: receives a note on the read level if a .blend has several.
        name: the name of the collection of the level in a .blend.

    Raises:
        ExportError: the file has no library, or a .blend cannot be read.
        FormatError: the file is of another format, or damaged.
        OSError: the file cannot be read.
    """
    if is_object_file(path):
        objects = open_objects(read_files(path))
        return SourceLevel(objects.level, None if objects.wad2 is None else objects.wad2.extras())
    if path.suffix.lower() != ".blend":
        return SourceLevel(read_source(path))
    blend = level_of_blend(path, name)
    if blend.others and not name:
        text = T("it has several levels, and {count} is the kit; the others are", count=blend.name)
        report.warn(path.name, T("{text} {names}", text=text, names=joined(", ", blend.others)))
    return SourceLevel(blend.level, blend.extras)


def _previews(root: Collection) -> Previews:
    result: Previews = {}
    for asset in assets_of(root, _KEPT):
        preview: Any = None if asset.block is None or asset.block.asset_data is None else asset.block.preview
        if preview is not None and all(preview.image_size):
            width, height = preview.image_size
            pixels = np.empty(width * height * 4, np.float32)
            preview.image_pixels_float.foreach_get(pixels)
            result[_KEPT[asset.kind], asset.number] = pixels.reshape(height, width, 4)
    return result


def _name(root: Collection) -> str:
    """Return the name of a collection in its file: Blender adds a number to names in use."""
    return str(root.get(_FILE_NAME, root.name))


_FILE_NAME = "tr_name_in_file"


@contextmanager
def _loaded(path: Path) -> Iterator[list[Collection]]:
    """Append all collections of a .blend, and remove all appended data-blocks at the end."""
    before = _all()
    libraries: Any = bpy.data.libraries
    try:
        try:
            with libraries.load(str(path)) as (source, target):
                names = list(source.collections)
                target.collections = list(names)
        except (OSError, RuntimeError) as error:
            raise ExportError(path.name, T("Blender cannot read it: choose another file")) from error
        collections = [each for each in target.collections if each is not None]
        for collection, name in zip(target.collections, names, strict=True):
            if collection is not None:
                collection[_FILE_NAME] = name
        yield collections
    finally:
        bpy.data.batch_remove(list(_all() - before))


def _all() -> set[ID]:
    return set(bpy.data.user_map())
