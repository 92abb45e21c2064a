"""Evaluated meshes of objects: with modifiers and shape keys as in the viewport."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import bpy
import numpy as np
from bpy.types import Depsgraph, Mesh, Modifier, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats.base import N_, T, Text
from ...core.blender.display import is_display_only
from ...core.blender.evaluated import ShownMeshes, evaluation
from ...core.membership import LevelObjects
from ...core.reporting.report import Report
from ...core.subjects import OF_ROOMS, Kind
from ...mesh.blender_mesh import read_values
from .arrays import NORMAL, NORMALS, VERTEX
from .normals import automatic_normals, same_direction
from .origins import SEAL, Origins
from .read import read_mesh

# Objects with their own meshes. All other meshes show one of these.
_SHAPED = frozenset(
    {
        *OF_ROOMS,
        Kind.MODEL_MESH,
        Kind.SKIN,
        Kind.STATIC_MESH,
        Kind.SPRITE_TEXTURE,
        Kind.COLLISION,
        Kind.PORTAL,
    }
)
_SHOWN_ELSEWHERE = frozenset({Kind.ENTITY, Kind.PLACEMENT, Kind.SPRITE})
# Simulations, which evaluating one frame cannot reproduce; Blender may even crash with fluids.
_SIMULATED = frozenset(
    {"CLOTH", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "PARTICLE_INSTANCE", "PARTICLE_SYSTEM", "SOFT_BODY"}
)
_PHYSICS = frozenset({"COLLISION", "SURFACE"})  # effects on other objects
_NORMALS = frozenset({"NORMAL_EDIT", "WEIGHTED_NORMAL"})
# Modifiers without effect on the exported mesh.
_WITHOUT_EFFECT = _SIMULATED | _PHYSICS | _NORMALS
_SKIPPED = {
    **dict.fromkeys(
        _SIMULATED,
        N_("the simulation of the modifier {modifier} is not exported: apply it to keep the result"),
    ),
    **dict.fromkeys(_PHYSICS, N_("its modifier {modifier} is not exported: the game has no counterpart")),
    **dict.fromkeys(
        _NORMALS,
        N_("its modifier {modifier} is not exported: normals of the games are imported or smooth ones"),
    ),
    "PARTICLE_SYSTEM": N_("the particles of {modifier} are not exported: convert them to meshes"),
}
_RIGID = N_("its modifier {modifier} is not exported: meshes of the games are rigid, one per bone")


@contextmanager
def shown_meshes(objects: LevelObjects, report: Report, *, apply: bool) -> Iterator[ShownMeshes]:
    """Provide the evaluated meshes of a level's objects; temporary meshes are removed afterwards.

    Modifiers and shape keys are applied, or each of them causes a warning.
    """
    shaped = []
    inside = set(objects.inside)
    keyed = {key.user for key in bpy.data.shape_keys}
    for obj in objects.with_bone_children:
        if (obj.modifiers or (keyed and obj.data in keyed)) and obj.type == "MESH":
            if not _is_written(obj, inside):
                _warn_of_placed(obj, inside, report)
            elif not apply:
                _warn_of_unapplied(obj, report)
            else:
                _warn_of_skipped(obj, report)
                shaped.append(obj)
    with shown_by(shaped, report) as shown:
        yield shown


@contextmanager
def shown_by(objects: Iterable[Object], report: Report | None = None) -> Iterator[ShownMeshes]:
    """Provide the meshes of objects with modifiers applied; temporary ones are removed afterwards."""
    shown = ShownMeshes()
    temporary: list[Mesh] = []
    try:
        shaped = [obj for obj in objects if _shaping(obj) or obj.data.shape_keys is not None]
        if shaped:
            _evaluate(shaped, shown, temporary, report or Report())
        yield shown
    finally:
        if temporary:  # Blender searches the whole file even for an empty list
            bpy.data.batch_remove(temporary)


@contextmanager
def shown_mesh(obj: Object) -> Iterator[Mesh]:
    """Provide the evaluated mesh of one mesh object; see :func:`shown_by`."""
    with shown_by([obj]) as shown:
        mesh = shown.of(obj)
        assert mesh is not None, obj.name
        yield mesh


@contextmanager
def apply_shape(obj: Object) -> Iterator[Callable[[Matrix], None]]:
    """Provide a function that replaces an object's mesh by its evaluated mesh, transformed by a matrix.

    It removes shape keys and the modifiers that shape the object.
    """
    with shown_mesh(obj) as mesh:
        shape = cast(Mesh, mesh.copy())
    used = False

    def apply(matrix: Matrix) -> None:
        nonlocal used
        for modifier in _shaping(obj):
            obj.modifiers.remove(modifier)
        old: Any = obj.data
        name = old.name
        shape.transform(matrix)
        if matrix.is_negative:
            shape.flip_normals()
        obj.data, used = shape, True
        if not old.users:
            bpy.data.meshes.remove(old)
        shape.name = name

    try:
        yield apply
    finally:
        if not used:
            bpy.data.meshes.remove(shape)


def _is_part(obj: Object) -> bool:
    """Return whether an object is parented to a bone of a model, and so is part of it."""
    parent = obj.parent
    return obj.parent_type == "BONE" and parent is not None and parent.tomb_raider.kind == Kind.MODEL


def _is_written(obj: Object, inside: set[Object]) -> bool:
    if _is_part(obj):
        return obj.parent in inside
    return obj in inside and obj.tomb_raider.kind in _SHAPED


def _is_posed(obj: Object) -> bool:
    """Return whether bones move an object after its export: a part of a model, or a skin."""
    return _is_part(obj) or obj.tomb_raider.kind == Kind.SKIN


def _is_enabled(modifier: Modifier) -> bool:
    return modifier.show_viewport and not is_display_only(modifier)


def _shaping(obj: Object) -> list[Modifier]:
    """Return the enabled modifiers that change the exported mesh of an object."""
    return [
        modifier
        for modifier in obj.modifiers
        if _is_enabled(modifier)
        and modifier.type not in _WITHOUT_EFFECT
        and not (modifier.type == "ARMATURE" and _is_posed(obj))
    ]


def _warn_of_unapplied(obj: Object, report: Report) -> None:
    names = [modifier.name for modifier in obj.modifiers if _is_enabled(modifier)]
    if names:
        text = T("{count} modifiers are not exported: {names}", count=len(names), names=", ".join(names))
        report.warn(obj.name, T("{text}. Export with Apply Modifiers, or apply them", text=text))
    if obj.data.shape_keys is not None:
        report.warn(
            obj.name, T("its shape keys are not exported: export with Apply Modifiers, or apply them")
        )


def _warn_of_placed(obj: Object, inside: set[Object], report: Report) -> None:
    if obj not in inside or obj.tomb_raider.kind not in _SHOWN_ELSEWHERE:
        return
    names = [modifier.name for modifier in obj.modifiers if _is_enabled(modifier)]
    if names:
        text = T("{count} modifiers are not exported: {names}", count=len(names), names=", ".join(names))
        report.warn(
            obj.name,
            T("{text}. The game shows the mesh of the library: add them to the object there", text=text),
        )


def _warn_of_skipped(obj: Object, report: Report) -> None:
    for modifier in obj.modifiers:
        if modifier.show_viewport:
            is_rigid = modifier.type == "ARMATURE" and _is_part(obj)
            template = _RIGID if is_rigid else _SKIPPED.get(modifier.type)
            if template is not None:
                report.warn(obj.name, Text(template, {"modifier": modifier.name}))


# --- Evaluation ----------------------------------------


def _evaluate(objects: list[Object], shown: ShownMeshes, temporary: list[Mesh], report: Report) -> None:
    """Make the evaluated meshes of objects, add them to `temporary`, and register them in `shown`."""
    copies = {obj: _copy(obj) for obj in objects}
    by_base: dict[Mesh, list[Mesh]] = {}
    with evaluation(list(copies.values())) as graph:
        _warn_of_instances(copies, graph, report)
        for obj, copy in copies.items():
            mesh = bpy.data.meshes.new_from_object(
                copy.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph
            )
            temporary.append(mesh)
            base: Any = obj.data
            _copy_properties(mesh, base)
            _link_materials(mesh, obj)
            same = next((each for each in by_base.get(base, ()) if _is_same(each, mesh)), None)
            if same is None:
                by_base.setdefault(base, []).append(mesh)
            shown.note(obj, mesh if same is None else same)


def _copy(obj: Object) -> Object:
    """Return a copy of an object for evaluation, which is possible even if the original is disabled."""
    copy: Any = obj.copy()
    copy.hide_viewport = False
    is_posed = _is_posed(obj)
    for modifier in list(copy.modifiers):
        is_skipped = modifier.type in _WITHOUT_EFFECT or is_display_only(modifier)
        if is_skipped or (is_posed and modifier.type == "ARMATURE"):
            copy.modifiers.remove(modifier)
    return cast(Object, copy)


def _warn_of_instances(copies: dict[Object, Object], graph: Depsgraph, report: Report) -> None:
    names = {copy: obj.name for obj, copy in copies.items()}
    counts: dict[str, int] = {}
    for instance in graph.object_instances:
        if instance.is_instance and instance.parent is not None and instance.parent.original in names:
            name = names[instance.parent.original]
            counts[name] = counts.get(name, 0) + 1
    for name, count in counts.items():
        report.warn(name, T("{count} instances that it shows are not exported: realize them", count=count))


def _copy_properties(mesh: Mesh, base: Mesh) -> None:
    """Copy the properties that Blender does not copy to an evaluated mesh."""
    mesh.name = base.name
    new, old = mesh.tomb_raider, base.tomb_raider
    new.index, new.origin = old.index, old.origin
    new.center, new.radius, new.flags = old.center, old.radius, old.flags
    for key in list(base.keys()):
        if key.startswith("tr_"):
            mesh[key] = base[key].to_list()
    _keep_normals(mesh, base)


def _link_materials(mesh: Mesh, obj: Object) -> None:
    """Copy materials linked to the object, which Blender does not copy to an evaluated mesh."""
    base = obj.data
    for index, slot in enumerate(obj.material_slots):
        has_slot = index < min(len(mesh.materials), len(base.materials))
        if has_slot and slot.link == "OBJECT" and mesh.materials[index] == base.materials[index]:
            mesh.materials[index] = slot.material


def _is_same(a: Mesh, b: Mesh) -> bool:
    same = len(a.vertices) == len(b.vertices) and list(a.materials) == list(b.materials)
    return same and read_mesh(a).equals(read_mesh(b))


def _keep_normals(mesh: Mesh, base: Mesh) -> None:
    """Keep the file's normals where the surface has not turned, and recompute them elsewhere.

    Modifiers copy them unchanged, even to a mirrored half.
    """
    if NORMAL not in mesh.attributes or VERTEX not in mesh.attributes or not len(mesh.vertices):
        return
    now, before = read_mesh(mesh), read_mesh(base)
    if VERTEX not in now.point:
        return
    stored, raw = (read_values(each.attributes[NORMAL], len(each.vertices)) for each in (mesh, base))
    origins = Origins(mesh.attributes.get(SEAL), now)
    NORMALS.treat(stored, origins)
    source = _sources(now.point[VERTEX][origins.nearest], before.point[VERTEX])
    automatic = automatic_normals(now)
    turned = ~same_direction(automatic, automatic_normals(before)[source])[origins.nearest]
    lengths = np.linalg.norm(raw[source], axis=1)
    normals = np.where(turned[:, None], automatic, stored)
    scale = lengths / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)
    is_new = origins.created | origins.mixed
    edited = ~origins.created & turned | ~is_new & (stored != raw[source]).any(axis=1)
    normals[edited] *= scale[edited, None]
    normals[~edited] = stored[~edited]
    mesh.attributes[NORMAL].data.foreach_set("vector", normals.ravel())


def _sources(now: NDArray[np.int32], before: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the previous vertex with the number of each vertex."""
    order = np.argsort(before, kind="stable")
    return order[np.minimum(np.searchsorted(before[order], now), len(order) - 1)]


def warn_of_unlike_placements(shown: ShownMeshes, libraries: Iterable[Object], report: Report) -> None:
    """Warn of placements that differ from the library object, whose evaluated mesh is exported."""
    for library in libraries:
        mesh = library.data
        if mesh is not None and shown.of(library) != mesh and mesh.users > 1:
            text = T("it is exported with its modifiers and shape keys, also where it is placed without them")
            report.warn(library.name, text)
