"""Lara's outfit in another game: her skin, the joints between her limbs, and the meshes of her weapons."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh, Object

from ....catalogue import DRAWN, HAIR, HEAD, HOLSTER_MESHES, HOLSTERS, JOINTS, ON_BACK, SKINS, names
from ....formats import Game
from ....formats.base import LARA, T
from ....formats.edits.rules import needs
from ...core.blender.compat import LONGEST_NAME
from ...core.membership import Places
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ...mesh.blender_mesh import read_all, rewrite_mesh
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh, join
from ..meshes.arrays import NORMAL
from .bones import own_bones
from .models import hang, keep_bones, own_collection

_SAME = 1e-4  # of Blender's units: corners at the same place
_MERGED = T("her body and weapons now have these meshes")


def remap_outfit(transfer: Transfer) -> None:
    """Fit Lara's models to the target game, and add those that only it draws.

    Call it before models are assigned new ids.
    """
    models = {int(obj.tomb_raider.model.id): obj for obj in transfer.objects(Kind.MODEL)}
    source, target = transfer.source, transfer.target
    numbers = {number: transfer.number("model", number) for number in models}
    fit_outfit(models, source, target, numbers, transfer.report)
    for number in merged_models(source, target):
        transfer.notes["model", number] = _MERGED
    lara = models.get(LARA)
    if lara is None:
        return
    meshes = {bone: part.data for bone, part in _parts(lara).items()}
    if not meshes:
        return
    invisible = _invisible(next(iter(meshes.values())))
    if source not in SKINS and target in SKINS:
        _add_model(transfer, lara, SKINS[target], meshes)
        # As in all original levels: OpenLara does not draw the first mesh of a level elsewhere.
        for part in _parts(lara).values():
            part.data = invisible
    hair = HAIR.get(target)
    if hair == needs.HAIR and hair not in {transfer.number("model", number) for number in models}:
        _add_model(transfer, lara, hair, dict.fromkeys(meshes, invisible))
    if source not in JOINTS and target in JOINTS:
        _add_model(transfer, lara, JOINTS[target], {bone: _invisible(mesh) for bone, mesh in meshes.items()})
    for weapon, number in HOLSTERS.get(target, {}).items() if source not in HOLSTERS else ():
        weapons = [model for model in (LARA, *DRAWN[source]) if transfer.number("model", model) == weapon]
        thighs = _parts(models[weapons[0]]) if weapons and weapons[0] in models else {}
        put = {mesh: thighs[limb].data for limb, mesh in HOLSTER_MESHES.items() if limb in thighs}
        if put:
            _add_model(transfer, lara, number, {**meshes, **put})
    if not invisible.users:
        bpy.data.meshes.remove(invisible)


def helpers_of_outfit(
    chosen: Collection[int], all_models: Container[int], source: Game, target: Game
) -> set[int]:
    """Return the models of a level that :func:`fit_outfit` needs besides the wanted ones."""
    if source is target or not {LARA, SKINS.get(source, LARA), *DRAWN[source]} & set(chosen):
        return set()
    skin = SKINS.get(source, LARA)
    needed = [skin if skin in all_models else LARA, *merged_models(source, target)]
    return {each for each in needed if each in all_models}


def merged_models(source: Game, target: Game) -> list[int]:
    """Return the models of a game whose meshes become parts of other models in another game."""
    merged = [kind[source] for kind in (SKINS, JOINTS) if source in kind and target not in kind]
    holsters = HOLSTERS.get(source, {}) if target not in HOLSTERS else {}
    return [*merged, *holsters.values()]


def fit_outfit(
    models: Mapping[int, Object],
    source: Game,
    target: Game,
    numbers: Mapping[int, int | None],
    report: Report,
    *,
    changed: Container[int] | None = None,
    other_body: Object | None = None,
) -> None:
    """Give models the meshes that another game draws for Lara.

    Each game draws some meshes of other models in place of those of her body. Where only the target game
    draws a mesh, a level of the source game may have anything, so it becomes the mesh of her body; a weapon
    on her back becomes invisible.

    Args:
        models: models of the source game by id.
        numbers: their ids in the target game.
        changed: the ids of the models to change, by default all; the others stay as they are.
        other_body: a model whose meshes are used where the models of her body are missing.
    """
    skin = SKINS.get(source, LARA)
    own_body = models.get(skin, models.get(LARA) if other_body is None else None)
    body = own_body or other_body
    if body is None or source is target:
        return
    fitted = {number: each for number, each in models.items() if changed is None or number in changed}
    figure = _Figure(body, models, source, target, is_own=own_body is not None)
    limbs = figure.limbs
    for number, model in fitted.items():
        new = numbers.get(number)
        if new is None or number in (LARA, skin):
            continue
        parts, is_on_back = _parts(model), new in ON_BACK[target]
        drawn = {*DRAWN[target].get(new, ())}.difference(DRAWN[source].get(number, ()))
        for limb in drawn & parts.keys() & limbs.keys():
            if limb == HEAD and is_on_back:
                _put(parts[limb], _invisible(parts[limb].data))
            else:
                _put(parts[limb], figure.with_holster(limb, number))
        if is_on_back is not (number in ON_BACK[source]):
            text = T("it is not visible on her back, since this game draws other meshes there")
            report.warn(names(source).model(number), text)
    with_holsters = {limb: figure.with_holster(limb, LARA) for limb in HOLSTER_MESHES if limb in limbs}
    limbs.update(with_holsters)
    if own_body in fitted.values():
        for limb, part in _parts(body).items():
            _put(part, limbs[limb])
    lara = _parts(fitted[LARA]) if target not in SKINS and LARA in fitted else {}
    if lara.keys() == limbs.keys():  # both have the same bones
        for bone, part in lara.items():
            _put(part, limbs[bone])
    figure.remove_unused()


class _Figure:
    """The meshes of Lara's limbs in another game, joined with those that only the source game draws."""

    def __init__(
        self, body: Object, models: Mapping[int, Object], source: Game, target: Game, *, is_own: bool
    ) -> None:
        #: the meshes by limb.
        self.limbs: dict[int, Any] = {limb: part.data for limb, part in _parts(body).items()}
        self._models = models
        self._joined_meshes: list[Any] = []
        self._holsters = HOLSTERS.get(source, {}) if target not in HOLSTERS and is_own else {}
        joints = models.get(JOINTS.get(source, -1)) if is_own else None
        if joints is not None and target not in JOINTS:
            for limb, joint, offset in _joints_below(body, joints):
                self.limbs[limb] = self._joined(self.limbs[limb], joint, offset)

    def _joined(self, mesh: Any, added: Any, offset: Any = (0.0, 0.0, 0.0)) -> Any:
        self._joined_meshes.append(_joined(mesh, added, offset))
        return self._joined_meshes[-1]

    def with_holster(self, limb: int, weapon: int) -> Any:
        """Return the mesh of a limb with the holster that the source game draws for a weapon."""
        holster = self._models.get(self._holsters.get(weapon, -1))
        parts = {} if holster is None else _parts(holster)
        mesh = parts.get(HOLSTER_MESHES.get(limb, -1))
        return self.limbs[limb] if mesh is None else self._joined(self.limbs[limb], mesh.data)

    def remove_unused(self) -> None:
        """Remove joined meshes that no object uses."""
        bpy.data.batch_remove([mesh for mesh in dict.fromkeys(self._joined_meshes) if not mesh.users])


def _joints_below(body: Object, joints: Object) -> Iterator[tuple[int, Any, Any]]:
    """Yield the joints between limbs: the limb above, the mesh of the joint, and its offset from the limb.

    They become parts of the limbs above, so limbs that other models replace, such as hands with weapons, need
    no joints of their own.
    """
    limbs = _parts(body)
    bones = {int(bone.tomb_raider.index): bone for bone in own_bones(body)}
    for number, joint in _parts(joints).items():
        bone = bones.get(number)
        above = None if bone is None else bone.parent
        limb = -1 if above is None else int(above.tomb_raider.index)
        if limb in limbs and bone is not None and above is not None:
            yield limb, joint.data, bone.head_local - above.head_local


def _put(part: Object, mesh: Any) -> None:
    """Replace the mesh of a part, and remove the old one if nothing else uses it."""
    if part.data == mesh:
        return
    before, part.data = part.data, mesh
    if isinstance(before, Mesh) and not before.users:
        bpy.data.meshes.remove(before)


def _joined(mesh: Any, added: Any, offset: Any) -> Any:
    """Return a mesh joined with the faces that only another one has, which is moved by an offset."""
    first, second = read_all(mesh), read_all(added)
    second.positions = (second.positions + np.array(offset)).astype(second.positions.dtype)
    known_faces = {*_faces(first), frozenset[Any]()}
    new = np.array([each not in known_faces for each in _faces(second)], np.bool_)
    if not new.any():
        return mesh
    second = second.take_faces(new).without_loose()
    result = mesh.copy()
    result.tomb_raider.index = -1  # exports compute the collision sphere
    slots = list(result.materials)
    for material in added.materials:
        if material not in slots:
            result.materials.append(material)
            slots.append(material)
    slot_map = np.array([slots.index(each) for each in added.materials] or [0], np.int32)
    second.face[MATERIAL_INDEX] = slot_map[np.minimum(second.face[MATERIAL_INDEX], len(slot_map) - 1)]
    if (NORMAL in first.point) != (NORMAL in second.point):
        for each in (first, second):
            each.point.pop(NORMAL, None)
    rewrite_mesh(result, join([first, second]))
    return result


def _faces(mesh: PolyMesh) -> list[frozenset[Any]]:
    """Return the places of the corners of each face; none if the face has no area."""
    positions = list(map(tuple, np.rint(mesh.positions / _SAME).astype(int).tolist()))
    corners = [frozenset(positions[each] for each in row if each >= 0) for row in mesh.vertex_rows().tolist()]
    return [each if len(each) > 2 else frozenset() for each in corners]


def _invisible(mesh: Any) -> Mesh:
    """Return a mesh with one face without an area: engines draw no meshes without faces."""
    result = mesh.copy()
    result.tomb_raider.index = -1
    if len(result.polygons):
        shape = read_all(result).take_faces(np.array([0])).without_loose()
        rewrite_mesh(result, replace(shape, positions=np.zeros_like(shape.positions)))
    return result


def _parts(armature: Object) -> dict[int, Object]:
    """Return the meshes of a model by the numbers of their bones."""
    bones = {bone.name: int(bone.tomb_raider.index) for bone in own_bones(armature)}
    parts = (each for each in own_collection(armature).objects if each.tomb_raider.kind == Kind.MODEL_MESH)
    return {bones[each.parent_bone]: each for each in parts if each.parent_bone in bones}


def _add_model(transfer: Transfer, lara: Object, number: int, meshes: Mapping[int, Any]) -> None:
    """Add a model with Lara's skeleton and other meshes, under an id that is unused in the level."""
    collection, name = own_collection(lara), names(transfer.target).model(number)
    new_collection: Any = bpy.data.collections.new(name)
    armature: Any = lara.copy()
    armature.data = lara.data.copy()
    armature.name = armature.data.name = name
    armature.animation_data_clear()
    keep_bones(armature, {bone.name for bone in own_bones(lara)})
    for bone in armature.pose.bones if armature.pose is not None else ():
        for constraint in list(bone.constraints):  # they aim at the bones of the other armature
            bone.constraints.remove(constraint)
    settings = armature.tomb_raider
    settings.model.animations.clear()
    settings.index = -1
    new_collection.objects.link(armature)
    for bone, part in _parts(lara).items():
        copy: Any = part.copy()
        copy.data = meshes[bone]
        copy.name = f"{name} {part.parent_bone}"[:LONGEST_NAME]
        hang(copy, armature, armature.data.bones[part.parent_bone])
        new_collection.objects.link(copy)
    new_collection.tomb_raider.kind, new_collection.tomb_raider.model = Kind.MODEL, armature
    new_collection.instance_offset = armature.location = Places(transfer.root, Kind.MODEL).take()
    parent = next(each for each in transfer.root.children_recursive if collection.name in each.children)
    parent.children.link(new_collection)
    settings.model.id = number
