"""Previews of assets, drawn as the scene shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Collection, Material, Object, Scene, Sound
from numpy.typing import NDArray

from ...formats.base import Pixels, T
from ..core.blender.handler_suspension import handlers_suspended
from ..core.reporting.progress import Work
from ..subjects.sounds.waveform import waveform
from .assets import Asset
from .pictures.pieces import SIZE, draw_small, for_preview
from .pictures.raster import RasterFaces
from .pictures.scene_faces import SceneFaces
from .pictures.studio import AT_MODELS, AT_ROOMS

# In the scene. Materials are a square seen from the south, as sprites.
_DIRECTIONS = {"ROOMS": AT_ROOMS, "SPRITES": (0.0, 1.0, 0.0), "MATERIALS": (0.0, 1.0, 0.0)}
_SHADED = ("MODELS", "STATIC_MESHES")
_BATCH = 16  # assets of one temporary scene: removing it searches the whole file


def draw_previews(assets: Sequence[Asset]) -> Work[int]:
    """Draw previews of assets, and return their number. Assets without anything visible get none.

    Assets that are removed between steps are skipped.
    """
    shown, count = SceneFaces(), 0
    faces: dict[int, RasterFaces] = {}
    for number, asset in enumerate(assets):
        text = T("{done} of {count}: {name}", done=number, count=len(assets), name=asset.name)
        yield text, number / len(assets)
        if number % _BATCH == 0:
            faces = _read(shown, dict(enumerate(assets[number : number + _BATCH], number)))
        try:
            pixels = _picture(asset, faces.get(number), shown.pages)
            if pixels is not None and asset.block is not None:
                put_preview(asset.block, pixels)
                count += 1
        except ReferenceError:
            continue
    return count


def put_preview(block: ID, pixels: NDArray[np.float32]) -> None:
    """Set the preview of a data-block.

    Args:
        pixels: (height, width, 4) float32, bottom row first.
    """
    preview: Any = block.preview_ensure()
    preview.image_size = pixels.shape[1], pixels.shape[0]
    preview.image_pixels_float.foreach_set(np.ascontiguousarray(pixels, np.float32).ravel())


def _read(shown: SceneFaces, assets: Mapping[int, Asset]) -> dict[int, RasterFaces]:
    """Return the faces of assets by number; those of sounds have none."""
    result: dict[int, RasterFaces] = {}
    with handlers_suspended(), _scene() as scene, ExitStack() as stack:
        numbers: dict[Object, int] = {}
        for number, asset in assets.items():
            try:
                if isinstance(asset.block, Material):
                    result[number] = shown.of_material(asset.block)
                elif asset.kind != "SOUNDS":
                    if asset.kind == "ROOMS":
                        stack.enter_context(_visible(asset.block))
                    numbers[_instance(scene, asset)] = number
            except ReferenceError:
                continue
        for instance, faces in shown.of_scene(scene).items():
            result[numbers[instance]] = faces
    return result


@contextmanager
def _scene() -> Iterator[Scene]:
    """Yield a temporary scene, which is removed with its objects."""
    scene = bpy.data.scenes.new("Preview")
    try:
        yield scene
    finally:
        bpy.data.batch_remove([*scene.collection.objects, scene])


def _instance(scene: Scene, asset: Asset) -> Object:
    data = None if isinstance(asset.block, Collection) else getattr(asset.obj, "data", None)
    instance = bpy.data.objects.new("Preview", data)
    scene.collection.objects.link(instance)
    if isinstance(asset.block, Collection):
        instance.instance_type, instance.instance_collection = "COLLECTION", asset.shown or asset.block
    return instance


@contextmanager
def _visible(collection: Any) -> Iterator[None]:
    """Show a collection and its objects even if they are hidden, as alternate rooms are."""
    objects = (collection, *collection.objects)
    hidden = [(each, each.hide_render, each.hide_viewport) for each in objects]
    for obj, _, _ in hidden:
        obj.hide_render = obj.hide_viewport = False
    try:
        yield
    finally:
        for obj, from_render, from_view in hidden:
            obj.hide_render, obj.hide_viewport = from_render, from_view


def _picture(asset: Asset, faces: RasterFaces | None, pages: Sequence[Pixels]) -> NDArray[np.float32] | None:
    """Return the picture of an asset, (SIZE, SIZE, 4) bottom row first, or None if nothing is visible."""
    if asset.kind == "SOUNDS":
        sound = None if asset.obj is None else getattr(asset.obj.data, "sound", None)
        return waveform(sound, SIZE) if isinstance(sound, Sound) else None
    if faces is None:
        return None
    x, y, z = _DIRECTIONS.get(asset.kind, AT_MODELS)
    shadow = {} if asset.kind in _SHADED else {"shadow": 1.0}
    with_backs = replace(faces, has_back=np.ones(len(faces), np.bool_))
    # Only rooms are seen from outside. If all faces of a room are back faces, these are drawn.
    for each in (faces, with_backs) if asset.kind == "ROOMS" else (with_backs,):
        pixels = draw_small(each, pages, (x, -z, y), **shadow)
        if pixels is not None:
            return for_preview(_cropped(pixels) if asset.kind == "SPRITES" else pixels)
    return None


def _cropped(pixels: Pixels) -> Pixels:
    """Return the visible part of a picture, enlarged: sprites have wide borders."""
    rows, columns = (np.flatnonzero((pixels[..., 3] > 0).any(axis=axis)) for axis in (1, 0))
    side = max(int(np.ptp(rows)), int(np.ptp(columns))) + 1
    low = ((rows[0] + rows[-1] + 1 - side) // 2, (columns[0] + columns[-1] + 1 - side) // 2)
    indices = np.arange(len(pixels)) * side // len(pixels)
    y, x = (np.clip(indices + start, 0, len(pixels) - 1) for start in low)
    result = pixels[np.ix_(y, x)]
    inside = [(indices + start >= 0) & (indices + start < len(pixels)) for start in low]
    result[~(inside[0][:, None] & inside[1][None, :])] = 0
    return result
