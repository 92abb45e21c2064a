"""Figures that the games draw in place of a model: since TR3, Lara's own meshes are not displayed.

The game moves Lara by model 0 but draws her skin, another model. In TR4 and TR5 it also draws the joints
between her limbs, and since TR2 her hair. Those meshes belong to other models of the library; a figure
displays them at the positions where the game draws them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import pi
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ....catalogue import HAIR, HOLSTER_MESHES, HOLSTERS, JOINTS, SKINS, WELDED
from ....formats import Game
from ....formats.base import LARA
from ....formats.editors.wads import TOMB_ENGINE
from ...core.blender import compat
from ...core.blender.node_builder import shown_with
from ...core.context import ImportContext
from ...core.membership import level_of, members_of
from ...core.subjects import Kind
from .bones import own_bones
from .build import ModelSkeleton
from .hair import Tail, tails_of, weld_tail
from .models import ModelLibrary
from .welds import WeldedLimb, limbs_of, place_limbs, weld

TOMB_ENGINE_SKIN = 12
_LOOSE = Tail((0.0, -23.0, -55.0))  # the origin of hair relative to the head, in units
_HEAD = 14
# Pistols in their holsters are meshes of another model that replace her thighs.
_PISTOLS = 1
_THIGHS = {Game.TR1: (1, 4), Game.TR2: (1, 4), Game.TR3: (1, 4)}
_TOLERANCE = 1.5  # units, chosen between 1 and 2: vertices 1 apart are welded


def import_figures(
    context: ImportContext, skeletons: Sequence[ModelSkeleton], library: ModelLibrary
) -> dict[int, Collection]:
    """Make a collection of everything that is drawn for Lara, to be shown by entities.

    It represents model 0, so an entity that shows it has type 0. Return the collections drawn in place of
    models, by the model's id.
    """
    game, models = context.level.game, _Models(context, skeletons, library)
    if LARA not in models.armatures:
        return {}
    is_for_tomb_engine = context.wad2 is not None and context.wad2.wad2.version == TOMB_ENGINE
    skin = TOMB_ENGINE_SKIN if is_for_tomb_engine else SKINS.get(game, LARA)
    if models.bones(skin) != models.bones(LARA):
        skin = LARA
    thighs = _thighs(models, game, skin)
    attachments = (
        []
        if is_for_tomb_engine
        else [  # whose numbers are other ones there
            *_joints(models, game, skin),
            *_holsters(models, game, skin),
            *thighs.values(),
            *_hair(models, game, skin),
        ]
    )
    if skin == LARA and not attachments:
        return {}
    lara = library.collections[LARA]
    figure = context.collection(f"{lara.name} (in game)", Kind.MODEL, library.home)
    figure.tomb_raider.model = lara.tomb_raider.model
    figure.instance_offset = library.collections[skin].instance_offset
    if thighs:
        _show_without(
            context, figure, library.collections[skin], {models.parts(skin)[limb] for limb in thighs}
        )
    else:
        figure.children.link(library.collections[skin])
    for obj in attachments:
        figure.objects.link(obj)
    return {LARA: figure}


class _Models:
    """The models of a library by their ids."""

    def __init__(
        self, context: ImportContext, skeletons: Sequence[ModelSkeleton], library: ModelLibrary
    ) -> None:
        self.space = context.space
        self.trees = {}
        self.armatures: dict[int, Object] = {}
        for skeleton, tree in zip(skeletons, context.mesh_trees, strict=True):
            number = int(skeleton.armature.tomb_raider.model.id)
            if number in library.collections and number not in self.armatures:
                self.armatures[number], self.trees[number] = skeleton.armature, tree
        self._collections, self._records = library.collections, context.level.models
        self._block = context.meshes
        self._parts: dict[int, Mapping[int, Object]] = {}

    def bones(self, number: int) -> int:
        """Return the number of a model's bones, -1 if there is no such model."""
        return len(self.trees[number]) if number in self.trees else -1

    def vertices(self, number: int, mesh: int) -> NDArray[np.float64]:
        """Return the vertices of a model's mesh, (n, 3) in units of the file."""
        record = self._records[self.armatures[number].tomb_raider.index]
        pointer = int(record["first_mesh"]) + mesh
        file_mesh = self._block.meshes[self._block.pointers[pointer]]
        return np.asarray(file_mesh.vertices, np.float64)

    def parts(self, number: int) -> Mapping[int, Object]:
        """Return the objects of a model's meshes by the number of the mesh."""
        if number not in self._parts:
            objects = self._collections[number].objects if number in self._collections else ()
            parts = {
                each.tomb_raider.index: each for each in objects if each.tomb_raider.kind == Kind.MODEL_MESH
            }
            self._parts[number] = parts
        return self._parts[number]


def _copy_of_part(part: Object) -> Object:
    """Return a new object with the mesh of a part of a model."""
    obj = bpy.data.objects.new(f"{part.name} (in game)"[: compat.LONGEST_NAME], part.data)
    obj.tomb_raider.kind = Kind.FIGURE
    return obj


def _joints(models: _Models, game: Game, skin: int) -> Iterator[Object]:
    """Make the joints between limbs, except that of the hips, which is never drawn."""
    number = JOINTS.get(game, -1)
    if models.bones(number) != models.bones(skin) or models.bones(skin) <= _HEAD:
        return
    limbs, space = models.parts(skin), models.space
    origins, starts = (models.trees[each].origins() for each in (skin, number))
    for joint, part in models.parts(number).items():
        if joint not in WELDED or not part.data.vertices:
            continue
        obj = _copy_of_part(part)
        obj.location = models.armatures[skin].location + Vector(space.to_blender(starts[joint]).tolist())
        above, below = (
            WeldedLimb(limbs[limb], space.to_blender(origins[limb] - starts[joint]).tolist())
            for limb in WELDED[joint]
        )
        weld(obj, above, below, _TOLERANCE * space.scale)
        yield obj


def _holsters(models: _Models, game: Game, skin: int) -> Iterator[Object]:
    """Make the holsters with pistols."""
    parts, limbs = models.parts(HOLSTERS.get(game, {}).get(_PISTOLS, -1)), models.parts(skin)
    for limb, mesh in HOLSTER_MESHES.items():
        if mesh in parts and limb in limbs:
            yield _attached(parts[mesh], limbs[limb], Matrix())


def _thighs(models: _Models, game: Game, skin: int) -> dict[int, Object]:
    """Make the thighs with holstered pistols, by the limbs that they replace."""
    if models.bones(_PISTOLS) != models.bones(skin):
        return {}
    parts, limbs = models.parts(_PISTOLS), models.parts(skin)
    replaced = [limb for limb in _THIGHS.get(game, ()) if limb in parts and limb in limbs]
    return {
        limb: _attached(parts[limb], limbs[limb], Matrix()) for limb in replaced if parts[limb].data.vertices
    }


def _show_without(context: ImportContext, figure: Collection, body: Collection, hidden: set[Object]) -> None:
    """Show a model in a figure, without some of its parts."""
    partial = context.collection(f"{body.name} without Thighs", Kind.MODEL, figure)
    partial.tomb_raider.model, partial.instance_offset = body.tomb_raider.model, body.instance_offset
    for obj in body.objects:
        if obj not in hidden:
            partial.objects.link(obj)


def _hair(models: _Models, game: Game, skin: int) -> Iterator[Object]:
    """Make the hair in its rest pose."""
    number = HAIR.get(game, -1)
    limbs = models.parts(skin)
    if number not in models.trees or _HEAD not in limbs:
        return
    head, is_welded = limbs[_HEAD], game in JOINTS
    vertices = models.vertices(skin, _HEAD)
    for tail in tails_of(vertices) if is_welded else (_LOOSE,):
        begin = Matrix.Translation(models.space.to_blender(tail.start).tolist())
        begin @= Matrix.Rotation(-pi / 2, 4, "X")
        origins = models.space.to_blender(models.trees[number].origins()).tolist()
        segments = {
            mesh: _attached(part, head, begin @ Matrix.Translation(origins[mesh]))
            for mesh, part in models.parts(number).items()
            if part.data.vertices
        }
        if is_welded:
            weld_tail(tail, head, segments)
        yield from segments.values()


def _attached(part: Object, limb: Object, matrix: Matrix) -> Object:
    """Return an object that moves with a limb; a child of the bone would be a part of the model."""
    obj = _copy_of_part(part)
    obj.matrix_basis = matrix
    follow: Any = obj.constraints.new("CHILD_OF")
    follow.target, follow.set_inverse_pending = limb, False
    return obj


def pose_figures(figures: Iterable[Collection]) -> None:
    """Assign the actions of models to the models drawn in their place."""
    for figure in figures:
        model = figure.tomb_raider.model
        data = model.animation_data
        if data is None or data.action is None:
            continue
        for skin in figure.children:
            if skin.tomb_raider.model != model:
                compat.assign_action(skin.tomb_raider.model, data.action)


def refresh_figures(root: Collection, moved: NDArray[np.floating] | None = None) -> None:
    """Draw joints and hair of figures at the joints of the models that they belong to, after these moved.

    Args:
        moved: how far the vertices of Lara's limbs moved relative to their joints, (m, 3), None if they did
            not. Hair that grows from vertices moves with them.
    """
    welded = [obj for obj in members_of(root, Kind.FIGURE) if shown_with(obj, "Welds", "Below Place at Rest")]
    parts = {part.data: part for part in members_of(root, Kind.MODEL_MESH) if is_joint(part)}
    for obj in welded:
        part = parts.get(obj.data)
        limbs: Any = limbs_of(obj)
        if part is None or None in limbs:
            continue
        head = _joint(part)
        obj.location = limbs[0].parent.location + head
        above, below = (WeldedLimb(limb, list(_joint(limb) - head)) for limb in limbs)
        place_limbs(obj, above, below)
    if moved is None or Game[root.tomb_raider.game] not in JOINTS:
        return
    for obj in members_of(root, Kind.FIGURE):
        constraint: Any = next((each for each in obj.constraints if each.type == "CHILD_OF"), None)
        limb = None if constraint is None else constraint.target
        if limb is not None and limb.tomb_raider.index == _HEAD and len(moved) > _HEAD:
            obj.matrix_basis = Matrix.Translation(moved[_HEAD].tolist()) @ obj.matrix_basis


def joints_over(armature: Object) -> list[Object]:
    """Return the joints that figures show between the limbs of a model."""
    return [
        obj
        for obj in bpy.data.objects
        if obj.tomb_raider.kind == Kind.FIGURE and getattr(limbs_of(obj)[1], "parent", None) == armature
    ]


def is_joint(part: Object) -> bool:
    """Return whether a part belongs to the model of Lara's joints."""
    armature = part.parent
    level = None if armature is None else level_of(armature)
    return level is not None and armature.tomb_raider.model.id == JOINTS.get(Game[level.tomb_raider.game], -1)


def _joint(part: Any) -> Vector:
    """Return the joint that a part of a model hangs on, relative to the first one."""
    bones = own_bones(part.parent)
    return part.parent.data.bones[part.parent_bone].head_local - bones[0].head_local


def drawn_models(root: Collection) -> Iterator[tuple[Object, Object]]:
    """Yield the models of a level that another model is drawn in place of, each with that one."""
    for figure in root.children_recursive:
        model: Object | None = figure.tomb_raider.model if figure.tomb_raider.kind == Kind.MODEL else None
        for child in figure.children:
            skin: Object | None = child.tomb_raider.model
            if model is not None and skin is not None:
                yield model, skin


def drawn_for(skin: Object) -> Object | None:
    """Return the model that another one is drawn in place of, or None."""
    for figure in bpy.data.collections:
        model: Object | None = figure.tomb_raider.model if figure.tomb_raider.kind == Kind.MODEL else None
        if model not in (None, skin) and any(each.tomb_raider.model == skin for each in figure.children):
            return model
    return None


def is_drawn_for(skin: Object, model: Object) -> bool:
    """Return whether a model is drawn in place of another one, and so shows its animations."""
    return any(
        each.tomb_raider.model == skin
        for figure in bpy.data.collections
        if figure.tomb_raider.kind == Kind.MODEL and figure.tomb_raider.model == model
        for each in figure.children
    )
