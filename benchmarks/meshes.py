"""Meshes of the floor: small ones that differ in places only are copies; slots of materials are shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
from bpy.types import Mesh

from .recording import ATTRIBUTE_TYPES, MeshRecord

_MANY = 1000  # objects of a file in which slots are shared
_FEW = 8  # vertices of a mesh whose like are made as copies: portals, pictures


class MeshSteps(NamedTuple):
    """How meshes are made.

    Attributes:
        slots: of each mesh that is made by itself, in the order in which they are begun: its number, that of
            the mesh which has some of its slots, -1 for none, and the materials of the further ones.
        copied: of each mesh the number of the one that it is a copy of, -1 for one that is made by itself.
    """

    slots: list[tuple[int, int, list[int]]]
    copied: list[int]


def plan_meshes(records: Sequence[MeshRecord], objects: int) -> MeshSteps:
    """Find the steps that are cheapest in a file of some number of objects.

    For every slot that is added, Blender looks through all objects of the file.
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
    """Make meshes, as :func:`plan_meshes` says."""
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
        else:  # the first of its form, which stands before it and is filled
            made[number] = made[source].copy()
            # Not by the attribute: copies would keep the bounds of the first one.
            made[number].vertices.foreach_set("co", records[number].positions.ravel())
    return made


def _form(record: MeshRecord, number: int) -> Any:
    """Return what meshes have in common that are made as copies; the number of one that is made by itself."""
    # Another name would cost more than a copy saves: Blender sorts by them.
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
    # Making a layer invalidates what was fetched before.
    kind: Any
    domain: Any
    for name, kind, domain, _ in record.attributes:
        layers.new(name, kind, domain)
    for name, kind, _, values in record.attributes:
        layers[name].data.foreach_set(ATTRIBUTE_TYPES[kind][0], values)
    mesh.update(calc_edges=True)
