"""Vertex groups as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray


def read_weights(obj: Object, mesh: Mesh, names: Sequence[str]) -> NDArray[np.float32]:
    """Return the weights of a mesh's vertices in an object's groups of some names, (n, names) float32."""
    weights = np.zeros((len(mesh.vertices), len(names)), np.float32)
    columns = {name: column for column, name in enumerate(names)}
    groups = {group.index: columns[group.name] for group in obj.vertex_groups if group.name in columns}
    for vertex in mesh.vertices:  # Blender has no array access to weights
        for group in vertex.groups:
            if group.group in groups:
                weights[vertex.index, groups[group.group]] += group.weight
    return weights


def write_weights(obj: Object, names: Sequence[str], weights: NDArray[np.floating]) -> None:
    """Give an object a vertex group of each name, with weights (n, names); zeros are left out."""
    for name, column in zip(names, weights.T, strict=True):
        group = obj.vertex_groups.get(name) or obj.vertex_groups.new(name=name)
        for value in np.unique(column[column > 0]).tolist():
            group.add(np.flatnonzero(column == value).tolist(), value, "REPLACE")
