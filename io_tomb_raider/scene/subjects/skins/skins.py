"""Import and export of skins: meshes of whole models, with a vertex group for each bone.

Skins are those of TombEngine's models in WAD2. The pose at rest of an armature is the one that engines bend
them from, and Blender's modifier bends them by the same formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats.base import T
from ....formats.editors.wads import (
    TOMB_ENGINE,
    SkinEdit,
    Wad2Level,
    is_hidden,
    matching,
    pairs_of,
    vertex_pairs,
    weights_of,
)
from ...core import original
from ...core.blender.compat import LONGEST_NAME
from ...core.context import ExportContext, ImportContext
from ...core.reporting.report import Report, first_few
from ...core.space import Space
from ...core.stages import ExportStage, ImportStage, Product, Steps
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_ints, vertices_of
from ...mesh.vertex_weights import read_weights, write_weights
from ..meshes.arrays import MESHES, VERTEX
from ..models.bones import own_bones
from ..models.figures import joints_over
from ..models.models import own_collection
from ..models.read import Rig
from ..models.steps import MESH_NUMBERS, SKELETONS, WRITTEN_MODELS

# The part of which a face was made: the number of a bone plus 1, or minus the number of a joint; 0 for none.
PART = "tr_part"
MOST_BONES = 32  # of a model with a skin, in TombEngine's shaders
_SIGNS = np.array([1, -1, 1], np.float32)
_FRACTION = 1e-3

SPLIT = T("use Split Skin into Bone Meshes")

SKINS: Product[Mapping[int, SkinEdit | None]] = Product("SKINS", dict)


# --- Import ----------------------------------------


def import_skins(context: ImportContext) -> None:
    """Make an object for each skin of a WAD2, and mark the meshes that it replaces."""
    wad2, meshes = context.wad2, MESHES.of(context)
    if wad2 is None:
        return
    for number, mesh in meshes.items():
        if number < len(wad2.meshes) and is_hidden(wad2.meshes[number]):
            mesh.tomb_raider.is_hidden = True
    skeletons = {int(each.armature.tomb_raider.index): each for each in SKELETONS.of(context)}
    for model, number in wad2.skins.items():
        source = wad2.meshes[number]
        armature = skeletons[model].armature
        skin = add_skin(armature, meshes[number], source.vertices, vertex_pairs(source), context.space)
        skin.tomb_raider.index = model


def add_skin(
    armature: Object,
    mesh: Mesh,
    vertices: NDArray[np.float32],
    pairs: NDArray[np.void],
    space: Space,
) -> Object:
    """Make a mesh the skin of a model.

    Args:
        vertices: (n, 3) exact, in the axes of WAD2.
        pairs: (n, 4) PAIR.
    """
    mesh.attributes["position"].data.foreach_set("vector", _places(vertices, space).ravel())
    obj, names = new_skin(armature, mesh), [bone.name for bone in own_bones(armature)]
    write_weights(obj, names, weights_of(pairs, len(names)))
    show_skin(armature)
    return obj


def _places(vertices: NDArray[np.float32], space: Space) -> NDArray[np.float32]:
    """Return the vertices of a skin as scenes show them: with fractions, within the range of levels."""
    return space.to_blender((np.nan_to_num(vertices) * _SIGNS).clip(-0x8000, 0x7FFF))


def new_skin(armature: Object, mesh: Mesh) -> Object:
    """Return a new object that shows a mesh as the skin of a model, without vertex groups."""
    name = f"{armature.name} Skin"[:LONGEST_NAME]
    obj = bpy.data.objects.new(name, mesh)
    obj.tomb_raider.kind = Kind.SKIN
    obj.parent = armature
    modifier: Any = obj.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    own_collection(armature).objects.link(obj)
    return obj


def skins_of(armature: Object) -> list[Object]:
    """Return the skins of a model: one, unless users have copied it."""
    return [each for each in armature.children if each.tomb_raider.kind == Kind.SKIN]


def skinned_model(obj: Object | None) -> Object | None:
    """Return the armature of an object of a model that has a skin, or None."""
    armature = obj if obj is None or obj.type == "ARMATURE" else obj.parent
    is_model = armature is not None and armature.tomb_raider.kind == Kind.MODEL
    return armature if armature is not None and is_model and skins_of(armature) else None


def show_skin(armature: Any) -> None:
    """Show the skin of a model, or the meshes that it replaces, and the joints between these."""
    skins, shows_skin = skins_of(armature), armature.tomb_raider.model.shows_skin
    for obj in (*armature.children, *joints_over(armature)):
        if obj in skins:
            is_off = not shows_skin
        elif obj.tomb_raider.kind == Kind.FIGURE:
            is_off = bool(skins) and shows_skin
        elif obj.tomb_raider.kind == Kind.MODEL_MESH and obj.type == "MESH":
            is_off = bool(skins) and shows_skin and obj.data.tomb_raider.is_hidden
        else:
            continue
        if obj.hide_viewport != is_off:
            obj.hide_viewport = obj.hide_render = is_off


def show_skins_over(mesh: Mesh) -> None:
    """Update the models with a mesh on one of their bones, after it was marked as hidden or not."""
    users = [obj for obj in bpy.data.objects if obj.data == mesh and obj.tomb_raider.kind == Kind.MODEL_MESH]
    for armature in dict.fromkeys(obj.parent for obj in users if obj.parent is not None):
        if skins_of(armature):
            show_skin(armature)


# --- Export ----------------------------------------


def export_skins(context: ExportContext) -> None:
    """Add mesh pointers for skins, and note their exact positions and weights."""
    if not context.with_skins:
        _warn_of_lost(context)
        return
    written = WRITTEN_MODELS.of(context)
    rigs = {rig.armature: rig for rig in written.rigs}
    edits: dict[int, SkinEdit | None] = {rig.model: None for rig in written.rigs}
    wad2 = original.wad2_of(context.root)
    for obj, _ in context.objects(Kind.SKIN):
        rig = None if obj.parent is None else rigs.get(obj.parent)
        mesh = context.shown.of(obj)
        if rig is None or mesh is None:
            text = T("it is not exported: parent it to the armature of a model")
            context.report.warn(obj.name, text)
            continue
        if edits[rig.model] is not None:
            context.report.warn(obj.name, T("it is not exported: {name} has another skin", name=rig.name))
            continue
        number = MESH_NUMBERS.of(context).of[mesh]
        if number not in written.pointers:
            written.pointers.append(number)
        edits[rig.model] = _edit_of(context, rig, obj, mesh, written.pointers.index(number), wad2)
        if context.is_checked:
            _check(context, rig, wad2)
    SKINS.set(context, edits)


def _warn_of_lost(context: ExportContext) -> None:
    for obj, _ in context.objects(Kind.SKIN):
        text = T("only .wad2 files hold skins, so it is left out")
        context.report.warn(obj.name, T("{text}: {remedy}", text=text, remedy=SPLIT))


def _edit_of(
    context: ExportContext, rig: Rig, obj: Object, mesh: Mesh, pointer: int, wad2: Wad2Level | None
) -> SkinEdit:
    """Return the skin to write: bit for bit as in the file where a vertex shows its values."""
    space, count = context.space, len(rig.names)
    places, weights = vertices_of(mesh), read_weights(obj, mesh, rig.names)
    warn_of_loose(context.report, obj.name, weights)
    others = [group.name for group in obj.vertex_groups if group.name not in rig.names]
    if others:
        text = T("vertex groups without a bone are not exported: {names}", names=first_few(others, 4))
        context.report.warn(obj.name, text)
    vertices = (space.to_file(places, obj.name, "a vertex") * _SIGNS).astype(np.float32)
    pairs = pairs_of(weights)
    old = None
    if wad2 is not None and not context.rebuild and rig.model < len(wad2.moveables):
        old = wad2.moveables[rig.model].skin
    numbers = _numbers(mesh, 0 if old is None else len(old.vertices))
    if old is None or numbers is None:
        return SkinEdit(pointer, vertices, pairs)
    exists, source = numbers >= 0, numbers.clip(0)
    old_pairs = vertex_pairs(old)
    if not rig.has_original_bones():
        old_pairs = matching(old_pairs, rig.columns)
    is_same = exists & (weights == weights_of(old_pairs, count)[source]).all(axis=1)
    same_places = _places(old.vertices, space)[source] == places
    return SkinEdit(
        pointer,
        np.where(exists[:, None] & same_places[:, [0, 2, 1]], old.vertices[source], vertices),
        np.where(is_same[:, None], old_pairs[source], pairs),
    )


def _numbers(mesh: Mesh, count: int) -> NDArray[np.int64] | None:
    """Return the number in the file of each vertex, -1 for none; None if the file has none."""
    if not count:
        return None
    if len(mesh.vertices) == count:
        return np.arange(count)
    stored = read_ints(mesh.attributes.get(VERTEX), "POINT", len(mesh.vertices))
    if stored is None:
        return None
    return np.where((stored >= 0) & (stored < count), stored, -1).astype(np.int64)


def _check(context: ExportContext, rig: Rig, wad2: Wad2Level | None) -> None:
    """Report skins that TombEngine draws otherwise than Blender, or not at all."""
    report, name = context.report, rig.name
    if wad2 is None or wad2.wad2.version != TOMB_ENGINE:
        report.warn(name, T("only TombEngine draws its skin, and the file is for another game"))
    warn_of_bones(report, name, len(rig.names))
    bones = wad2.moveables[rig.model].bones if wad2 and rig.model < len(wad2.moveables) else ()
    apart = [bone.name for bone in bones if np.abs(bone.offset - np.rint(bone.offset)).max() > _FRACTION]
    if apart:
        text = T(
            "the offsets of these bones are not whole, and TombEngine cuts them: {names}",
            names=first_few(apart, 4),
        )
        report.warn(name, T("{text}. Its skin is up to one unit off there", text=text))
    parts = {
        each.parent_bone: each
        for each in rig.armature.children
        if each.tomb_raider.kind == Kind.MODEL_MESH and isinstance(each.data, Mesh)
    }
    if parts and not any(each.data.tomb_raider.is_hidden for each in parts.values()):
        report.warn(name, T("no mesh of its bones is hidden, so TombEngine draws them over its skin"))
    hollow = [bone for bone in rig.names if bone not in parts or not parts[bone].data.tomb_raider.radius]
    if hollow:
        text = T(
            "these bones have no collision sphere, so shots miss them: {names}", names=first_few(hollow, 4)
        )
        report.warn(name, T("{text}. Give them meshes, which can be hidden", text=text))


def warn_of_loose(report: Report, name: str, weights: NDArray[np.float32]) -> None:
    """Warn if vertices of a skin have no weights, (n, bones)."""
    loose = int((weights.max(axis=1, initial=0) <= 0).sum())
    if loose:
        text = T("{count} of its vertices have no weight, so the first bone moves them", count=loose)
        report.warn(name, T("{text}: use Weight Paint", text=text))


def warn_of_bones(report: Report, name: str, count: int) -> None:
    """Warn if a model with a skin has too many bones for TombEngine."""
    if count > MOST_BONES:
        text = T(
            "TombEngine draws skins of at most {most} bones, and it has {count}", most=MOST_BONES, count=count
        )
        report.warn(name, text)


STEPS = Steps({ImportStage.LIBRARY: import_skins}, {ExportStage.GEOMETRY: export_skins})
