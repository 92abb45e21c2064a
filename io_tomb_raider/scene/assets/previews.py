"""Previews of assets, rendered without a window."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Collection, Material, Mesh, Object, Scene, Sound
from numpy.typing import NDArray

from ..core.blender.handler_suspension import handlers_suspended
from ..core.reporting.progress import Listener
from ..subjects.sounds.waveform import waveform
from .assets import Asset
from .pictures.overview import opened
from .pictures.studio import AT_MODELS, AT_ROOMS, look, shown_points, stage, studio

SIZE = 128  # pixels, in both directions: the size of Blender's own previews
_FRONT = (0.0, 1.0, 0.0)  # pictures of sprites face -y
_ABOVE = (0.0, 0.0, -1.0)


def draw_previews(assets: Iterable[Asset], listener: Listener | None = None) -> int:
    """Render previews of assets, and return their number. Assets without anything visible get none."""
    with_blocks = [each for each in assets if each.block is not None]
    with (
        handlers_suspended(),
        tempfile.TemporaryDirectory() as folder,
        stage() as scene,
        studio(scene, [], (SIZE, SIZE)) as camera,
    ):
        artist = _Artist(scene, camera, Path(folder) / "preview.png")
        count = 0
        for number, asset in enumerate(with_blocks):
            if listener is not None:
                listener(asset.name, number / len(with_blocks))
            pixels = artist.draw(asset)
            if pixels is not None and asset.block is not None:
                put_preview(asset.block, pixels)
                count += 1
    return count


def put_preview(block: ID, pixels: NDArray[np.float32]) -> None:
    """Set the preview of a data-block.

    Args:
        pixels: (height, width, 4) float32, bottom row first.
    """
    preview: Any = block.preview_ensure()
    preview.image_size = pixels.shape[1], pixels.shape[0]
    preview.image_pixels_float.foreach_set(np.ascontiguousarray(pixels, np.float32).ravel())


class _Artist:
    """Renders assets one by one in its own scene."""

    def __init__(self, scene: Scene, camera: Object, path: Path) -> None:
        self._scene, self._camera, self._path = scene, camera, path
        scene.render.filepath = str(path)

    def draw(self, asset: Asset) -> NDArray[np.float32] | None:
        """Return the picture of an asset, (height, width, 4), or None if nothing is visible."""
        pixels = self._picture(asset)
        return _cropped(pixels) if pixels is not None and asset.kind == "SPRITES" else pixels

    def _picture(self, asset: Asset) -> NDArray[np.float32] | None:
        block, obj = asset.block, asset.obj
        if asset.kind == "SOUNDS":
            sound = None if obj is None else getattr(obj.data, "sound", None)
            return waveform(sound, SIZE) if isinstance(sound, Sound) else None
        if isinstance(block, Material):
            with _sheet(block) as sheet:
                return self._of(sheet, _ABOVE)
        if isinstance(block, Collection):
            instance = bpy.data.objects.new("Preview", None)
            instance.instance_type, instance.instance_collection = "COLLECTION", asset.shown or block
        else:
            instance = bpy.data.objects.new("Preview", getattr(obj, "data", None))
        try:
            if asset.kind == "ROOMS" and obj is not None:
                materials = [each for each in _materials(block) if each.use_backface_culling]
                with _seen(block), opened(materials):
                    pixels = self._of(instance, AT_ROOMS)
                if pixels is not None:
                    return pixels  # otherwise all its faces are back faces
                with _seen(block):
                    return self._of(instance, AT_ROOMS)
            return self._of(instance, _FRONT if asset.kind == "SPRITES" else AT_MODELS)
        finally:
            bpy.data.objects.remove(instance)

    def _of(self, obj: Object, direction: Sequence[float]) -> NDArray[np.float32] | None:
        self._scene.collection.objects.link(obj)
        points = shown_points(self._scene)
        if not len(points) or not np.ptp(points, axis=0).any():
            self._scene.collection.objects.unlink(obj)
            return None
        look(self._scene, self._camera, direction, points)
        self._path.unlink(missing_ok=True)  # of the asset before
        bpy.ops.render.render(write_still=True, scene=self._scene.name)
        self._scene.collection.objects.unlink(obj)
        if not self._path.exists():  # the disk is full, or the user stopped it
            return None
        image = bpy.data.images.load(str(self._path))
        try:
            pixels = np.empty(SIZE * SIZE * 4, np.float32)
            image.pixels.foreach_get(pixels)
        finally:
            bpy.data.images.remove(image)
        return pixels.reshape(SIZE, SIZE, 4) if pixels[3::4].any() else None


def _cropped(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the opaque part of a picture, enlarged: sprites have wide borders."""
    rows, columns = (np.flatnonzero((pixels[..., 3] > 0).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return pixels
    side = max(int(np.ptp(rows)), int(np.ptp(columns))) + 1
    low = ((rows[0] + rows[-1] + 1 - side) // 2, (columns[0] + columns[-1] + 1 - side) // 2)
    indices = np.arange(len(pixels)) * side // len(pixels)
    y, x = (np.clip(indices + start, 0, len(pixels) - 1) for start in low)
    result = pixels[np.ix_(y, x)]
    inside = [(indices + start >= 0) & (indices + start < len(pixels)) for start in low]
    result[~(inside[0][:, None] & inside[1][None, :])] = 0
    return result


def _materials(collection: Any) -> list[Material]:
    meshes = [obj.data for obj in collection.objects if isinstance(obj.data, Mesh)]
    return list(dict.fromkeys(each for mesh in meshes for each in mesh.materials if each is not None))


@contextmanager
def _seen(collection: Any) -> Iterator[None]:
    """Render a collection and its objects even if they are hidden, as alternate rooms are."""
    objects = (collection, *collection.objects)
    hidden = [(each, each.hide_render, each.hide_viewport) for each in objects]
    for obj, _, _ in hidden:
        obj.hide_render = obj.hide_viewport = False
    try:
        yield
    finally:
        for obj, from_render, from_view in hidden:
            obj.hide_render, obj.hide_viewport = from_render, from_view


@contextmanager
def _sheet(material: Material) -> Iterator[Object]:
    """Yield a temporary square that shows the whole image of a material."""
    mesh = bpy.data.meshes.new("Preview")
    corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    mesh.from_pydata([(x, y, 0.0) for x, y in corners], [], [(0, 1, 2, 3)])
    layer = mesh.uv_layers.new(name="UVMap")
    layer.uv.foreach_set("vector", np.array(corners, np.float32).ravel())
    mesh.materials.append(material)
    obj = bpy.data.objects.new("Preview", mesh)
    try:
        yield obj
    finally:
        bpy.data.batch_remove([obj, mesh])
