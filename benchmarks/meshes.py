"""Meshes of the floor: small ones that differ only in positions are copies; material slots are shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
from bpy.types import Mesh

from .recording import ATTRIBUTE_TYPES, MeshRecord

_MANY = 1000  # objects in a file from which on slots are shared
_FEW = 8  # vertices of a mesh that is made as a copy, such as portals and sprites


class MeshSteps(NamedTuple):
    """The steps that make meshes.

    Attributes:
        slots: for each new mesh, in the order of creation: its number, that of the mesh which has some of its
            slots, -1 for none, and the materials of the additional ones.
        copied: for each mesh the number of the one to copy, -1 for a new one.
    """

    slots: list[tuple[int, int, list[int]]]
    copied: list[int]


def plan_meshes(records: Sequence[MeshRecord], objects: int) -> MeshSteps:
    """Return the cheapest steps in a file with a number of objects.

    For every slot that is added, Blender searches all objects of the file.
    """
    first: dict[Any, int] = {}
    copied = []
    for number, record in enumerate(records):
        source = first.setdefault(_form(record, number), number)
        copied.append(-1 if source == number else source)
    made = sorted(first.values(), key=lambda number: len(records[number].materials))
    having: dict[tuple[int, ...], int] = {}
    slots = []
    for number in made:
        wanted = tuple(records[number].materials)
        lengths = range(len(wanted), 0, -1) if objects > _MANY else ()
        there = next((length for length in lengths if wanted[:length] in having), 0)
        slots.append((number, having[wanted[:there]] if there else -1, list(wanted[there:])))
        having.setdefault(wanted, number)
    return MeshSteps(slots, copied)


def make_meshes(records: Sequence[MeshRecord], steps: MeshSteps, materials: Sequence[Any]) -> list[Mesh]:
    """Make meshes by the steps of :func:`plan_meshes`."""
    made: list[Any] = [None] * len(records)
    for number, source, more in steps.slots:
        if source >= 0:
            mesh = made[source].copy()
            mesh.name = records[number].name
        else:
            mesh = bpy.data.meshes.new(records[number].name)
        for material in more:
            mesh.materials.append(materials[material])
        made[number] = mesh
    for number, source in enumerate(steps.copied):
        if source < 0:
            _fill_mesh(made[number], records[number])
        else:  # the first of its form, which is already filled
            made[number] = made[source].copy()
            # Not by the attribute: copies would keep the bounds of the first one.
            made[number].vertices.foreach_set("co", records[number].positions.ravel())
    return made


def _form(record: MeshRecord, number: int) -> Any:
    """Return the key of meshes that are copies of each other; the number of a mesh that is not a copy."""
    # Another name would cost more than a copy saves, since Blender sorts names.
    called = record.name.rpartition(".")[0] or record.name
    return (called, record.form()) if len(record.positions) <= _FEW else number


def _fill_mesh(mesh: Mesh, record: MeshRecord) -> None:
    layers = mesh.attributes
    if len(record.positions):
        mesh.vertices.add(len(record.positions))
        layers["position"].data.foreach_set("vector", record.positions.ravel())
    if len(record.corners):
        mesh.loops.add(len(record.corners))
        mesh.polygons.add(len(record.starts))
        layers[".corner_vert"].data.foreach_set("value", record.corners)
        mesh.polygons.foreach_set("loop_start", record.starts.tolist())
    # Adding a layer invalidates earlier references.
    kind: Any
    domain: Any
    for name, kind, domain, _ in record.attributes:
        layers.new(name, kind, domain)
    for name, kind, _, values in record.attributes:
        layers[name].data.foreach_set(ATTRIBUTE_TYPES[kind][0], values)
    mesh.update(calc_edges=True)
