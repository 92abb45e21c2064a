"""Rendered layers of a mesh: its UV map and its color attribute.

A mesh may have several of both. The rendered one, with the camera icon in the list, is exported; the selected
one is edited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ....formats.base import T
from ...core.reporting.report import Report

NEUTRAL = (128, 128, 128, 255)


class Shades(NamedTuple):
    """Light of vertices in a file."""

    #: a function that returns equal numbers (k,) for screen colors (k, 3) uint8 that are equal in the file.
    of: Callable[[NDArray[np.uint8]], NDArray[Any]]
    #: a function that returns the screen colors (n, 3) in the file by integer attributes, or None.
    stored: Callable[[Mapping[str, NDArray[np.int32]]], NDArray[np.uint8] | None]


def shown_uv_map(mesh: Mesh) -> Any | None:
    """Return the rendered UV map, or None."""
    layers = mesh.uv_layers
    return next((layer for layer in layers if layer.active_render), layers.active)


def shown_color(mesh: Mesh) -> Any | None:
    """Return the rendered color attribute, or None."""
    colors = mesh.color_attributes
    names = mesh.attributes.default_color_name, mesh.attributes.active_color_name
    rendered = next((colors[name] for name in names if name and name in colors), None)
    # Scripts may remove the rendered one, and Blender 5.2 keeps its name.
    return rendered if rendered is not None or not len(colors) else colors[0]


def add_light(mesh: Mesh) -> None:
    """Add a color attribute of half light, which leaves textures unchanged, if a mesh has none."""
    if shown_color(mesh) is None and len(mesh.vertices):
        mesh.color_attributes.new("Color", "BYTE_COLOR", "POINT")
        set_half_light(mesh)


def set_half_light(mesh: Mesh) -> None:
    """Set the rendered color attribute of a mesh, if there is one, to half light."""
    colors = shown_color(mesh)
    if colors is not None:
        half = np.array(NEUTRAL, np.float32) / 255
        colors.data.foreach_set("color_srgb", np.tile(half, len(colors.data)))


def read_uvs(layer: Any | None, corners: int) -> NDArray[np.float32]:
    """Return a UV map, (corners, 2); zeros without one."""
    uvs = np.zeros((corners, 2), np.float32)
    if layer is not None and corners:
        layer.uv.foreach_get("vector", uvs.ravel())
    return uvs


def write_uvs(mesh: Mesh, layer: Any, uvs: NDArray[np.float32]) -> None:
    """Write a UV map, (corners, 2), of a mesh outside edit mode.

    Blender 4.2 forgets to copy values that undo shares if they are written by the UV map.
    """
    attribute: Any = mesh.attributes[layer.name]
    attribute.data.foreach_set("vector", uvs.ravel())


def gray_shades(colors: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the grays (k,), 0 to 255, of colors (k, 3) for games without colored light."""
    return np.rint(colors.mean(axis=1)).astype(np.int64)


def warn_of_colors(subject: str, colors: NDArray[np.uint8], report: Report) -> None:
    """Warn of colors (n, 4) that become gray, if they differ by more than a step."""
    parts = colors[:, :3].astype(np.int16)
    count = int((np.ptp(parts, axis=1) > 1).sum()) if len(parts) else 0
    if count:
        text = T(
            "its light is colored at {count} vertices, but this game has no colored light: it is "
            "exported as gray",
            count=count,
        )
        report.warn(subject, text)
