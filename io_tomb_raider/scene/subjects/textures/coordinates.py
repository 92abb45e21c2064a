"""Texture coordinates of materials: their UV map, and the nodes between that and the image.

UV maps and mappings can be exported. The names of other nodes and settings are collected, so that exports can
warn of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import NodeLink, NodeSocket, ShaderNodeMapping, ShaderNodeTexImage
from mathutils import Euler
from numpy.typing import NDArray

from ....formats.base import T
from ....formats.levels.textures import Beyond

_UNIT = np.eye(4)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The texture coordinates of a material."""

    uv_map: str = ""  #: the UV map's name, "" for the rendered one.
    #: (4, 4) transform of its points (u, v, 0).
    matrix: NDArray[np.float64] = field(default_factory=_UNIT.copy)
    #: the image beyond its edge: ``"REPEAT"``, ``"EXTEND"``, ``"CLIP"`` or ``"MIRROR"``.
    extension: Beyond = "REPEAT"
    unsupported: tuple[str, ...] = ()  #: names of nodes and settings that cannot be exported.

    @cached_property
    def is_plain(self) -> bool:
        """Whether faces show the image by the unchanged rendered UV map."""
        return not self.uv_map and np.array_equal(self.matrix, _UNIT)

    def apply(self, uvs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return transformed UVs, (k, 2)."""
        if np.array_equal(self.matrix, _UNIT):
            return uvs
        result = uvs.astype(np.float64) @ self.matrix[:2, :2].T + self.matrix[:2, 3]
        return result.astype(np.float32)


def coordinates_of(texture: ShaderNodeTexImage | None) -> Coordinates:
    """Return the texture coordinates of an image node."""
    if texture is None:
        return Coordinates()
    node: Any = texture
    unsupported: list[str] = []
    if node.projection != "FLAT":
        unsupported.append(f"{node.projection.capitalize()} projection")
    if _moves(node.texture_mapping):
        unsupported.append(T("Texture Mapping of the image node"))
    uv_map, matrix = "", _UNIT
    link = _link_to(node.inputs[0])
    while link is not None:
        source: Any = link.from_node
        is_mapping = isinstance(source, ShaderNodeMapping)
        if source.bl_idname == "NodeReroute" or (is_mapping and source.mute):
            link = _link_to(source.inputs[0])
        elif is_mapping and not _is_fixed(source):
            unsupported.append(source.label or source.name)
            link = _link_to(source.inputs[0])
        elif is_mapping:
            matrix = matrix @ _mapping(source)
            link = _link_to(source.inputs[0])
        else:
            name = _map_named(link)
            uv_map = name or ""
            if name is None and not _is_player(source):
                unsupported.append(source.label or source.name)
            break
    return Coordinates(uv_map, matrix, node.extension, tuple(unsupported))


def _link_to(socket: NodeSocket) -> NodeLink | None:
    return next((link for link in socket.links if not link.is_muted), None)


def _map_named(link: NodeLink) -> str | None:
    """Return the UV map that a link transfers, "" for the rendered one, None for other values."""
    source = link.from_node
    if source.mute:
        return None
    if source.bl_idname == "ShaderNodeUVMap":
        return None if source.from_instancer else str(source.uv_map)
    if source.bl_idname == "ShaderNodeTexCoord":
        return "" if link.from_socket.name == "UV" and not source.from_instancer else None
    if source.bl_idname == "ShaderNodeAttribute" and link.from_socket.name == "Vector":
        return str(source.attribute_name) if source.attribute_type == "GEOMETRY" else None
    return None


def _is_player(node: Any) -> bool:
    """Return whether a node plays an animated texture."""
    tree = getattr(node, "node_tree", None)
    return tree is not None and any(output.name == "Picture" for output in node.outputs)


def _is_fixed(mapping: Any) -> bool:
    """Return whether a mapping transforms all UVs alike, and has an input."""
    vector, *values = mapping.inputs
    linked = any(_link_to(socket) is not None for socket in values)
    return mapping.vector_type != "NORMAL" and _link_to(vector) is not None and not linked


def _mapping(node: Any) -> NDArray[np.float64]:
    """Return the matrix of a mapping node, (4, 4)."""
    values = {socket.identifier: socket.default_value for socket in node.inputs}
    scale = np.array(values["Scale"], np.float64)
    rotation = np.array(Euler(values["Rotation"]).to_matrix(), np.float64)
    matrix = np.eye(4)
    if node.vector_type == "TEXTURE":
        # For scale 0 Blender shows the texture's corner.
        inverse = np.divide(1.0, scale, out=np.zeros(3), where=scale != 0)
        matrix[:3, :3] = inverse[:, None] * rotation.T
        matrix[:3, 3] = -matrix[:3, :3] @ np.array(values["Location"], np.float64)
        return matrix
    matrix[:3, :3] = rotation * scale
    if node.vector_type == "POINT":
        matrix[:3, 3] = values["Location"]
    return matrix


def _moves(mapping: Any) -> bool:
    is_moved = any((*mapping.translation, *mapping.rotation))
    return is_moved or tuple(mapping.scale) != (1, 1, 1)
