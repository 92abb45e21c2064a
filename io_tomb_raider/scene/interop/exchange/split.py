"""Split by Bones: a mesh that follows an armature becomes the rigid meshes of a model, one per bone.

Games do not bend meshes. So each face is assigned to the bone with the most weight on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ...authoring.motion.fitting import Fit
from ...authoring.motion.keys import new_action, store_exactly
from ...authoring.motion.retarget import on_floor, pose_target, relative_to_rest
from ...authoring.motion.sampling import Motion, Sampler, actions_played, plain_name, rate_of
from ...authoring.motion.soles import feet_of
from ...core.blender.cleanup import undone_on_failure
from ...core.reporting.report import Report, first_few
from ...core.space import Space
from ...subjects.animations.keys.geometry import quaternions
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose
from ...subjects.animations.keys.stage import isolated_copy
from ...subjects.animations.showing import own_animations
from ...subjects.meshes.arrays import COLOR, MeshArrays, build_mesh
from ...subjects.meshes.joining import join_meshes
from ...subjects.meshes.limits import MOST_SPLIT
from ...subjects.meshes.placed import transform
from ...subjects.textures.keys import NO_MATERIAL, MaterialKey, key_array
from ...transfer.adoption.adoption import adopt
from ...transfer.append.replace import parts_of, put_mesh
from ...transfer.engine.motion import bones_of
from .character import Character, Skin, bone_of_faces, character_of, read_skins
from .matching import Matches, fit_of, match
from .pieces import part_of
from .skeleton import MOST_BONES, joints_of, move_joints, new_model

_MOST = 0x7FFF  # vertices and faces of a mesh, and units from its bone
_NAMED = 4
_SAME_TURN = 1e-4


@dataclass(eq=False)
class SplitCharacter:
    """The result of splitting a character."""

    armature: Object  #: of the model.
    parts: list[Object] = field(default_factory=list)  #: the objects of the new meshes.
    actions: list[Action] = field(default_factory=list)  #: the retargeted animations.
    report: Report = field(default_factory=Report)  #: the warnings.


class _Part(NamedTuple):
    """The new mesh of one bone of the model, with the character's materials."""

    bone: str
    mesh: MeshArrays
    materials: dict[MaterialKey, Any]


def split_by_bones(
    root: Collection,
    objects: Iterable[Object],
    model: Object | None = None,
    *,
    skeleton: bool = False,
    meshes: bool = True,
    animations: bool = True,
) -> SplitCharacter:
    """Replace the meshes of a model by those of a character.

    Args:
        objects: the character's meshes, or its armature.
        model: the armature of the model; a new one by default.
        skeleton: move the model's joints to those of the character, as always for new models.
        meshes: replace the meshes. A new model needs them.
        animations: retarget the character's animations as well.

    Raises:
        ExportError: if there is no such character, or the game cannot hold it. The scene is then unchanged.
    """
    if "MODELS" not in root.tomb_raider.imported:
        text = T("its models were left out when the level was imported, so others would be lost")
        raise ExportError(root.name, text)
    character = character_of(objects, needs_meshes=meshes)
    skins = read_skins(character) if meshes else []
    with undone_on_failure():
        if model is None:
            _check_bones(character)
            armature = new_model(root, character.armature)
            count = len(bones_of(armature))
            matches = Matches(np.arange(count), np.arange(count))
        else:
            armature, matches = model, match(character.armature, model)
        result = SplitCharacter(armature)
        fit = fit_of(character.armature, armature, matches)
        parts = _parts(root, character, skins, fit, armature, matches, result.report) if meshes else []
        _check(parts, Space.of(root), result.report)
        actions = actions_played(character.armature) if animations else []
        result.actions = retarget_actions(character.armature, armature, matches, actions)
        if model is not None and skeleton:
            move_joints(armature, character.armature, matches, fit)
        result.parts = _put(armature, parts)  # last, as it removes the replaced meshes
    adopt(root)
    return result


def _check_bones(character: Character) -> None:
    count = len(character.armature.data.bones)
    if count > MOST_BONES:
        text = T("it has too many bones for a model: split it into a model with fewer")
        raise ExportError(character.armature.name, text, count=count, limit=MOST_BONES)


# --- Meshes ----------------------------------------


def _parts(
    root: Collection,
    character: Character,
    skins: Sequence[Skin],
    fit: Fit,
    armature: Object,
    matches: Matches,
    report: Report,
) -> list[_Part]:
    """Return the new meshes of a model's bones in its rest pose; bones without a match are left out."""
    names, space = bones_of(armature), Space.of(root)
    pivots = pivots_of(character.armature, armature, names, matches)
    bones = [bone_of_faces(skin, matches.targets, len(names)) for skin in skins]
    result = []
    for number, name in enumerate(names):
        if matches.pivots[number] < 0:
            continue
        pieces = []
        rotation = fit.to_target_rest(fit.target.names.index(name))
        for skin, bone in zip(skins, bones, strict=True):
            faces = np.flatnonzero(bone == number)
            if len(faces):
                arrays = _turned(skin.arrays, rotation)
                pieces.append(part_of(arrays, faces, rotation @ pivots[number], space))
        result.append(joined_part(name, pieces))
    missing = [name for number, name in enumerate(names) if matches.pivots[number] < 0]
    if missing:
        text = T(
            "{armature} has no bones for these, which keep their meshes", armature=character.armature.name
        )
        report.warn(armature.name, T("{text}: {left}", text=text, left=first_few(missing, _NAMED)))
    return result


def _turned(arrays: MeshArrays, rotation: NDArray[np.float64]) -> MeshArrays:
    """Return a rotated mesh; the same one where it stands as the model does."""
    if np.abs(rotation - np.eye(3)).max() < _SAME_TURN:
        return arrays
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    return transform(arrays, matrix)


def pivots_of(
    source: Object, armature: Object, names: Sequence[str], matches: Matches
) -> NDArray[np.float64]:
    """Return the places of a model's joints in the character, (m, 3), along the axes of Blender's world."""
    heads, _ = joints_of(source)
    rest_heads = np.array([armature.data.bones[name].head_local for name in names], np.float64)
    return np.where(matches.pivots[:, None] >= 0, heads[np.maximum(matches.pivots, 0)], rest_heads)


def joined_part(bone: str, pieces: Sequence[MeshArrays]) -> _Part:
    """Join the faces of one bone from several meshes."""
    if not pieces:
        return _Part(bone, _empty(), {})
    joined = join_meshes(pieces)
    own = enumerate(joined.own_materials)
    materials = {MaterialKey("OWN", number, 0, False, 0): material for number, material in own}
    return _Part(bone, joined, materials)


def _empty() -> MeshArrays:
    return MeshArrays(
        positions=np.zeros((0, 3), np.float32),
        corners=np.zeros(0, np.int32),
        sizes=np.zeros(0, np.int32),
        uvs=np.zeros((0, 2), np.float32),
        keys=key_array([]),
        colors=np.zeros((0, 4), np.uint8),
        point={},
        face={},
    )


def _check(parts: Sequence[_Part], space: Space, report: Report) -> None:
    """Raise ExportError beyond the format's limits of meshes; warn beyond the engines' limits."""
    for part in parts:
        for what, count in ((T("vertices"), len(part.mesh.positions)), (T("faces"), len(part.mesh.sizes))):
            if count > _MOST:
                raise ExportError(
                    part.bone, T("this bone gets too many {what}", what=what), count=count, limit=_MOST
                )
            if count > MOST_SPLIT:
                text = T(
                    "this bone gets {count} {what}, and the original engines support {most_split}",
                    count=count,
                    what=what,
                    most_split=MOST_SPLIT,
                )
                report.warn(part.bone, T("{text}: simplify the mesh (Decimate)", text=text))
        farthest = int(np.abs(part.mesh.positions).max(initial=0.0) / space.scale)
        if farthest > _MOST:
            text = T("a vertex is too far from this bone: is the character much too large?")
            raise ExportError(part.bone, text, count=farthest, limit=_MOST)


def _put(armature: Object, parts: Sequence[_Part]) -> list[Object]:
    """Replace the meshes on a model's bones, and return their objects."""
    objects_by_bone = parts_of(armature)
    changed = []
    for part in parts:
        obj = objects_by_bone.get(part.bone)
        if obj is None:
            continue
        before: Any = obj.data
        mesh = mesh_of_part(part, before.name)
        mesh.tomb_raider.flags = before.tomb_raider.flags  # exports compute the collision sphere
        put_mesh(obj, mesh)
        if not before.users:
            bpy.data.meshes.remove(before)
        changed.append(obj)
    return changed


def mesh_of_part(part: _Part, name: str) -> Mesh:
    """Return a new mesh with the faces of a part."""
    materials = dict(part.materials)
    if (part.mesh.keys["kind"] == key_array([NO_MATERIAL])["kind"][0]).any():
        # Games do not draw faces without a material.
        materials[NO_MATERIAL] = bpy.data.materials.get("Plain") or bpy.data.materials.new("Plain")
    mesh = build_mesh(name, part.mesh, materials)
    mesh.attributes.remove(mesh.attributes[COLOR])  # models are lit by their room
    return mesh


# --- Animations ----------------------------------------


def retarget_actions(
    source: Object, model: Object, matches: Matches, actions: Sequence[Action]
) -> list[Action]:
    """Retarget animations of another armature to a model.

    An animation of the model with the same name gets new keys, and keeps its states, sounds and other
    settings.

    Args:
        actions: of the other armature. Actions of the model itself are skipped.

    Returns:
        The model's animations.
    """
    foreign = [each for each in actions if each.tomb_raider.model != model]
    if not foreign:
        return []
    existing = {each.name: each for each in own_animations(model)}
    fit, rest, rate = fit_of(source, model, matches), RestPose.of(model), rate_of(source)
    result = []
    with isolated_copy(source) as (scene, copy):
        sampler = Sampler(scene, copy, source, fit.source)
        for action in foreign:
            poses = _poses(fit, model, rest, sampler.ticks(action, rate))
            name = plain_name(action, source)
            target = existing.get(name)
            keys_before = 0
            if target is None:
                target = new_action(name, model)
            else:
                keys_before = target.tomb_raider.frame_rate
            store_exactly(target, model, poses, rest, bones_of(model), keys_before)
            result.append(target)
    return result


def _poses(fit: Fit, model: Object, rest: RestPose, motion: Motion) -> KeyPoses:
    """Return the poses of a model that follows a motion, with all of its path in the poses."""
    rotations, heads = pose_target(fit, motion)
    if fit.is_same_skeleton() or not (feet_of(fit.target) and fit.source.leg_length()):
        heads = relative_to_rest(fit, heads)
    else:
        heads = on_floor(fit.target, model, rotations, heads)
    local_rotations, positions = rest.local(quaternions(rotations), heads[:, 0])
    return KeyPoses(np.arange(len(motion), dtype=float), local_rotations, positions)
