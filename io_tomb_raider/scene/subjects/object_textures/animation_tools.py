"""Tools for animated textures: their frames, and the materials and faces that play them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bmesh
import bpy
import numpy as np
from bpy.types import Collection, Image, Material, Mesh, MeshPolygon
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import T
from ...core.membership import members
from ...mesh.blender_mesh import material_slots, read_shape, readable
from ..animated_textures.animated_textures import group_named, write_starts
from ..meshes.layers import read_uvs, shown_uv_map, write_uvs
from ..textures.animation_nodes import START, make_player, picture_size, pictures
from ..textures.keys import MaterialKey
from ..textures.materials import belongs_to, material_key, play_in, surface_mode, user_attribute, user_image
from ..textures.shader import build_surface, surface_group
from .tools import level_material, set_group, slot_of


class FacePicture(NamedTuple):
    """The texture of a face."""

    image: Image
    uv: NDArray[np.float64]  #: (corners, 2) in the order of the file, which is clockwise.
    attribute: int  #: blend mode.
    bump: int  #: bump level.


def add_group(root: Collection) -> Any:
    """Add an animated texture without frames."""
    settings = root.tomb_raider.animated
    group = settings.groups.add()
    group.uid = 1 + max((each.uid for each in settings.groups), default=0)
    group.name = f"Animated Texture {group.uid - 1}"
    settings.active = len(settings.groups) - 1
    return group


def remove_group(root: Collection, index: int) -> None:
    """Remove an animated texture; faces that played it are no longer animated."""
    settings = root.tomb_raider.animated
    group = settings.groups[index]
    uid, player = group.uid, group.player
    settings.groups.remove(index)
    settings.active = min(settings.active, max(len(settings.groups) - 1, 0))
    for material in _materials(root, uid):
        material.tomb_raider.animation = 0
        _build(root, material)
    if player is not None:
        bpy.data.node_groups.remove(player)


def add_frames(root: Collection, group: Any | None, mesh: Mesh, faces: NDArray[np.int64]) -> int:
    """Append the textures of faces (n,) as frames, in that order, and return their number.

    Without a group a new animated texture is added.

    Raises:
        ExportError: where a face shows no image, or has another number of corners than the group's frames.
    """
    return add_pictures(root, group, [_picture(root, mesh, int(face)) for face in faces])


def add_pictures(root: Collection, group: Any | None, textures: Sequence[FacePicture]) -> int:
    """Append pictures as frames, and return their number, see :func:`add_frames`."""
    triangles = {len(texture.uv) == 3 for texture in textures}
    if group is not None and len(group.frames):
        triangles.add(group.frames[0].is_triangle)
    if len(triangles) > 1:
        name = root.name if group is None else group.name
        raise ExportError(name, T("all frames of an animated texture must be triangles, or all quads"))
    group = add_group(root) if group is None else group
    for texture in textures:
        frame = group.frames.add()
        frame.image, frame.is_triangle = texture.image, len(texture.uv) == 3
        if belongs_to(texture.image, root):
            frame.page = texture.image.tomb_raider.page
        size = texture.image.size
        corners = np.zeros((4, 2))
        corners[: len(texture.uv)] = (texture.uv * (1, -1) + (0, 1)) * (size[0], size[1])
        frame.corners = corners.ravel().tolist()
        frame.attribute, frame.bump = texture.attribute, texture.bump
        group.active_frame = len(group.frames) - 1
    refresh(root, group)
    return len(textures)


def _picture(root: Collection, mesh: Mesh, face: int) -> FacePicture:
    polygon = mesh.polygons[face]
    material = _material_of(mesh, face)
    image = None if material is None else user_image(material)
    layer = shown_uv_map(mesh)
    if material is None or image is None or layer is None:
        raise ExportError(mesh.name, T("the face shows no image"))
    if polygon.loop_total not in (3, 4):
        raise ExportError(mesh.name, T("only triangles and quads can be animated"), count=polygon.loop_total)
    loops = _loops(polygon)
    uv = np.array([layer.uv[loop].vector for loop in loops], np.float64)
    settings = material.tomb_raider
    blending = user_attribute(material, Game[root.tomb_raider.game])
    return FacePicture(
        image, uv, settings.attribute if settings.kind == "PAGE" else blending or 0, settings.bump
    )


def _loops(polygon: MeshPolygon) -> list[int]:
    """Return the loops of a face in the order of the file."""
    first, last = polygon.loop_start, polygon.loop_start + polygon.loop_total - 1
    return [first, *range(last, first, -1)]


def remove_frame(root: Collection, group: Any, index: int) -> None:
    """Remove a frame."""
    group.frames.remove(index)
    group.active_frame = min(group.active_frame, max(len(group.frames) - 1, 0))
    refresh(root, group)


def move_frame(root: Collection, group: Any, index: int, to: int) -> None:
    """Move a frame to another position."""
    group.frames.move(index, to)
    group.active_frame = to
    refresh(root, group)


def play_on(root: Collection, group: Any, mesh: Mesh, faces: NDArray[np.int64]) -> int:
    """Play an animated texture on faces, each from the frame that it shows, and return how many changed.

    Faces that show none of its frames get the first one.
    """
    _show(root, group, mesh, check_can_play(root, group, mesh, faces))
    changed = set_group(root, mesh, faces, group.uid)
    update_starts(root, mesh)
    return changed


def check_can_play(root: Collection, group: Any, mesh: Mesh, faces: NDArray[np.int64]) -> list[int]:
    """Return the faces that show no frame of an animated texture; ExportError where they cannot show one."""
    if not len(group.frames):
        raise ExportError(group.name, T("it has no frames"))
    others: list[int] = faces[_matches(group, mesh)[faces] < 0].tolist()
    for face in others:
        _check_can_show(root, group, mesh, face)
    return others


def _check_can_show(root: Collection, group: Any, mesh: Mesh, face: int) -> None:
    """Raise an ExportError where a face cannot show the first frame of an animated texture."""
    frame, polygon = group.frames[0], mesh.polygons[face]
    if (polygon.loop_total == 3) != frame.is_triangle:
        raise ExportError(group.name, T("its frames have a different number of corners than the face"))
    is_own = _has_other_image(mesh, face, frame) and not belongs_to(frame.image, root)
    if is_own and _own_material(root, group) is None:
        raise ExportError(group.name, T("give the face a material with the image of the first frame"))


def _own_material(root: Collection, group: Any) -> Material | None:
    """Return a user's material that plays an animated texture and shows its first frame."""
    image = group.frames[0].image
    return next((each for each in _materials(root, group.uid) if user_image(each) == image), None)


def _has_other_image(mesh: Mesh, face: int, frame: Any) -> bool:
    material = _material_of(mesh, face)
    return frame.image is not None and (material is None or user_image(material) != frame.image)


def _material_of(mesh: Mesh, face: int) -> Material | None:
    return mesh.materials[mesh.polygons[face].material_index] if len(mesh.materials) else None


def _show(root: Collection, group: Any, mesh: Mesh, faces: Sequence[int]) -> None:
    """Set the material and UVs of faces to the first frame of an animated texture."""
    if not faces:
        return
    frame, (corners, _) = group.frames[0], pictures(group)
    layer: Any = shown_uv_map(mesh) or mesh.uv_layers.new()
    uvs = read_uvs(layer, len(mesh.loops))
    for face in faces:
        polygon = mesh.polygons[face]
        material = _material_of(mesh, face)
        if _has_other_image(mesh, face, frame):
            old_key = None if material is None else material_key(material, root)
            double_sided = old_key is not None and old_key.double_sided
            own_material = None if belongs_to(frame.image, root) else _own_material(root, group)
            key = MaterialKey("PAGE", frame.image.tomb_raider.page, frame.attribute, double_sided, frame.bump)
            polygon.material_index = slot_of(mesh, own_material or level_material(root, key))
        loops = _loops(polygon)
        uvs[loops] = corners[0][: len(loops)]
    write_uvs(mesh, layer, uvs)


# --- Updating materials and faces -----------------------------------------------------------


def _materials(root: Collection, uid: int) -> list[Material]:
    """Return the materials of a level that play an animated texture."""
    return [
        material
        for material in bpy.data.materials
        if material.tomb_raider.animation == uid
        and (image := user_image(material)) is not None
        and (belongs_to(image, root) or image.tomb_raider.kind == "NONE")
    ]


def _build(root: Collection, material: Material) -> None:
    """Rebuild the nodes of a material of the level; users' materials keep theirs."""
    settings, image = material.tomb_raider, user_image(material)
    if settings.kind != "PAGE" or image is None:
        return
    red, green, blue, _ = material.diffuse_color
    group, mode = surface_group(Game[root.tomb_raider.game]), surface_mode(settings.attribute)
    build_surface(material, group, mode, image, (red, green, blue))
    if settings.animation:
        play_in(root, material, settings.animation, image)


def refresh(root: Collection, group: Any) -> None:
    """Update the node groups, materials and faces that play an animated texture."""
    if group.player is not None:
        make_player(root, group)
    for material in _materials(root, group.uid):
        _build(root, material)
    for mesh in dict.fromkeys(obj.data for obj in members(root) if isinstance(obj.data, Mesh)):
        if any(each is not None and each.tomb_raider.animation == group.uid for each in mesh.materials):
            update_starts(root, mesh)


def update_starts(root: Collection, mesh: Mesh) -> None:
    """Store on the faces of a mesh the first frame of their animation, found by image and UVs.

    The mesh may be in edit mode.
    """
    with readable(mesh) as plain:
        starts = np.zeros(len(plain.polygons), np.int32)
        slots = material_slots(plain)
        for slot, material in enumerate(mesh.materials):
            group = None if material is None else group_named(root, material.tomb_raider.animation)
            if group is None or not len(group.frames):
                continue
            rows = slots == slot
            starts[rows] = np.maximum(_matches(group, plain, mesh.materials)[rows], 0)
    if not mesh.is_editmode:
        if starts.any() or START in mesh.attributes:
            write_starts(mesh, starts)
        return
    edited = bmesh.from_edit_mesh(mesh)
    layers: Any = edited.faces.layers.int
    layer = layers.get(START) or (layers.new(START) if starts.any() else None)
    if layer is not None:
        for face, start in zip(edited.faces, starts.tolist(), strict=True):
            face[layer] = start
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


def _matches(group: Any, mesh: Mesh, materials: Any | None = None) -> NDArray[np.int64]:
    """Return the frame that each face of a mesh outside edit mode shows, at any rotation, or -1, (faces,).

    ``materials`` are those of its faces, if it has none itself.
    """
    count = len(mesh.polygons)
    result = np.full(count, -1, np.int64)
    layer = shown_uv_map(mesh)
    if layer is None or not count:
        return result
    uv = read_uvs(layer, len(mesh.loops))
    shape, slots = read_shape(mesh), material_slots(mesh)
    starts, sizes = shape.starts, shape.sizes
    table, images = pictures(group)
    materials = mesh.materials if materials is None else materials
    slot_images = [None if each is None else user_image(each) for each in materials]
    for index, image in enumerate(images):
        corners = 3 if group.frames[index].is_triangle else 4
        shows_image = np.array([each == image or image is None for each in slot_images] or [image is None])
        is_shown = shows_image[np.minimum(slots, len(shows_image) - 1)]
        rows = np.flatnonzero((sizes == corners) & is_shown & (result < 0))
        loops = starts[rows, None] + np.array([0, *range(corners - 1, 0, -1)])
        tolerance = 1 / np.array(picture_size(image))
        for shift in range(corners):
            expected = np.roll(table[index, :corners], shift, axis=0)
            fits = (np.abs(uv[loops] - expected) <= tolerance).all(axis=(1, 2))
            result[rows[fits]] = index
            rows, loops = rows[~fits], loops[~fits]
    return result
