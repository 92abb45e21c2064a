"""Tools for the game's settings of faces: blending, sides, bump level, animated texture and effects.

All of them work on meshes outside edit mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Material, Mesh
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import T
from ....formats.levels.level import height_page
from ....formats.levels.textures import (
    ADDITIVE_EFFECT,
    SHINE_EFFECT,
    SHINE_STRENGTH,
    BlendMode,
    most_blending,
)
from ...core import original
from ...core.blender import compat
from ...core.blender.color import bytes_to_linear
from ...core.membership import is_for_trx
from ...mesh.blender_mesh import material_slots, read_ints, read_values, write_material_slots
from ..meshes.arrays import EFFECTS, LIGHT, TEXTURE
from ..textures.keys import MaterialKey
from ..textures.materials import (
    MISSING_COLOR,
    describe_material,
    image_node,
    known_group,
    material_key,
    material_label,
    play_in,
    prefixed,
    show_bump,
    surface_mode,
    user_attribute,
    user_color,
    user_image,
)
from ..textures.palettes import COLORS, nearest_entry
from ..textures.shader import build_surface, draw_as_level, surface_group
from ..textures.unwritten import NO_SUCH_BLENDING
from .view import TextureView, cell_at, cell_center


def selected_faces(mesh: Mesh) -> NDArray[np.int64]:
    """Return the numbers of the faces of a mesh that are selected and not hidden."""
    is_selected, is_hidden = (np.zeros(len(mesh.polygons), np.bool_) for _ in range(2))
    mesh.polygons.foreach_get("select", is_selected)
    mesh.polygons.foreach_get("hide", is_hidden)
    return np.flatnonzero(is_selected & ~is_hidden)


# --- Materials -------------------------------------------------------------------------------------


def level_material(root: Collection, key: MaterialKey) -> Material:
    """Return the level's material with a key; make it where there is none.

    Raises:
        ExportError: where the level has no image of the page, or of the palette.
    """
    for material in bpy.data.materials:
        if material.tomb_raider.kind == key.kind and material_key(material, root) == key:
            return material
    image = _image_of(root, key.kind, key.page if key.kind == "PAGE" else COLORS)
    similar = next((each for each in bpy.data.materials if user_image(each) == image), None)
    color = MISSING_COLOR if similar is None else tuple(similar.diffuse_color[:3])
    result = bpy.data.materials.new(prefixed(root.name, material_label(key)))
    build_surface(
        result, surface_group(Game[root.tomb_raider.game]), surface_mode(key.attribute), image, color
    )
    if key.group:
        play_in(root, result, key.group, image)
    if image is not None and image.tomb_raider.heights is not None:
        show_bump(result)
    describe_material(result, key)
    return result


def _image_of(root: Collection, kind: str, page: int) -> Any:
    """Return the image of a texture page or palette of a level; raise ExportError if it was deleted."""
    for entry in root.tomb_raider.images:
        if (entry.kind, entry.page) == (kind, page) and entry.image is not None:
            return entry.image
    what = T("the palette") if kind == "PALETTE" else T("texture page {page}", page=page)
    raise ExportError(root.name, T("the image of {what} was deleted", what=what))


def make_level_material(root: Collection, material: Material) -> None:
    """Draw a user's material as it is exported, in the level's light.

    It keeps its name, image, settings and nodes; the nodes are no longer connected to the output.

    Raises:
        ExportError: where it is linked from another file, or its image is in a node group.
    """
    if not material.is_editable:
        raise ExportError(material.name, T("it is in another file: make it local first"))
    game, texture = Game[root.tomb_raider.game], image_node(material)
    if texture is not None and texture.id_data != compat.used_nodes(material):
        raise ExportError(material.name, T("its image is in a node group: ungroup it first (Ctrl+Alt+G)"))
    key, double_sided = material_key(material, root), material.tomb_raider.double_sided
    attribute = user_attribute(material, game) if key is None else key.attribute
    if attribute is None:  # exports decide by the image's texels
        attribute = BlendMode.OPAQUE if texture is None else BlendMode.COLOR_KEYED
    red, green, blue = bytes_to_linear(np.array(user_color(material), np.uint8)).tolist()
    draw_as_level(material, surface_group(game), surface_mode(attribute), texture, (red, green, blue))
    show_bump(material)
    compat.cull_back_faces(material, not (double_sided and game.traits.has_double_sided_faces))


def _switch_materials(
    root: Collection, mesh: Mesh, faces: NDArray[np.int64], value: Any, field: str, setting: str | None = None
) -> int:
    """Assign faces variants of their materials with another value, and return how many changed.

    Args:
        field: its name in :class:`~..textures.keys.MaterialKey`.
        setting: its name in the settings of users' materials, by default the same.
    """
    slots = material_slots(mesh)
    before = slots.copy()
    for slot in np.unique(slots[faces]).tolist():
        material = mesh.materials[slot] if slot < len(mesh.materials) else None
        if material is None:
            continue
        key = material_key(material, root)
        if key is None:
            variant = _own_variant(mesh, material, setting or field, value)
        elif key.kind == "PAGE":
            variant = level_material(root, key._replace(**{field: value}))
        else:
            continue
        slots[faces[before[faces] == slot]] = slot_of(mesh, variant)
    if (slots != before).any():
        write_material_slots(mesh, slots)
        mesh.update()
    return int((slots != before).sum())


def slot_of(mesh: Mesh, material: Material | None) -> int:
    """Return the slot of a mesh with a material, appended if missing."""
    if material not in list(mesh.materials):
        mesh.materials.append(material)
    return list(mesh.materials).index(material)


def _own_variant(mesh: Mesh, material: Material, setting: str, value: int) -> Material:
    """Return a variant of a user's material with a changed setting, one of the mesh if it has it."""
    result: Any = material.copy()
    setattr(result.tomb_raider, setting, value)
    for candidate in (material, *mesh.materials):
        if (
            candidate is not None
            and user_image(candidate) == user_image(material)
            and _settings(candidate) == _settings(result)
        ):
            bpy.data.materials.remove(result)
            return candidate
    return result


def _settings(material: Material) -> tuple[Any, ...]:
    settings = material.tomb_raider
    attribute = settings.attribute if settings.is_property_set("attribute") else None
    return settings.kind, attribute, settings.double_sided, settings.animation


def check_blending(root: Collection, attribute: int) -> None:
    """Raise ExportError if the game of a level has no faces with a blend mode."""
    if attribute > most_blending(Game[root.tomb_raider.game], trx=is_for_trx(root)):
        raise ExportError(root.name, NO_SUCH_BLENDING)


def set_blending(root: Collection, mesh: Mesh, faces: NDArray[np.int64], attribute: int) -> int:
    """Set the blend mode of faces, and return how many changed.

    Raises:
        ExportError: if the game has no such faces.
    """
    check_blending(root, attribute)
    if attribute != BlendMode.ADDITIVE and EFFECTS in mesh.attributes:
        write_effects(mesh, faces, lambda words: ADDITIVE_EFFECT.put(words, 0))
    return _switch_materials(root, mesh, faces, attribute, "attribute")


def set_double_sided(root: Collection, mesh: Mesh, faces: NDArray[np.int64], double_sided: bool) -> int:
    """Show faces from both sides or from one, and return how many changed."""
    return _switch_materials(root, mesh, faces, double_sided, "double_sided")


def set_bump(root: Collection, mesh: Mesh, faces: NDArray[np.int64], level: int) -> int:
    """Set the bump level of faces (TR4, TR5), and return how many changed.

    Raises:
        ExportError: if a page has no height map: the game would take another page for it.
    """
    decoded = original.load(root) if level else None
    for slot in np.unique(material_slots(mesh)[faces]).tolist() if decoded is not None else ():
        material = mesh.materials[slot] if slot < len(mesh.materials) else None
        key = None if material is None else material_key(material, root)
        is_page = decoded is not None and key is not None and key.kind == "PAGE"
        if is_page and height_page(decoded.level, key.page) is None:
            text = T("texture page {page} has no height map. Use your own material with one", page=key.page)
            raise ExportError(mesh.name, text)
    return _switch_materials(root, mesh, faces, level, "bump")


def set_group(root: Collection, mesh: Mesh, faces: NDArray[np.int64], number: int) -> int:
    """Play an animated texture on faces, or none if 0, and return how many changed."""
    return _switch_materials(root, mesh, faces, known_group(root, number), "group", "animation")


def set_palette_color(root: Collection, mesh: Mesh, faces: NDArray[np.int64], color: Sequence[float]) -> int:
    """Give faces the palette color (TR1 to TR3) nearest to a color, and return how many changed.

    The color is red, green and blue, screen values 0 to 1.

    Raises:
        ExportError: where the palette's image has been deleted.
    """
    material = level_material(root, MaterialKey("PALETTE", -1, 0, False, 0))
    entry = nearest_entry(_image_of(root, "PALETTE", COLORS), color)
    layer: Any = mesh.uv_layers.active or mesh.uv_layers.new()
    uv = np.zeros((len(mesh.loops), 2), np.float32)
    flat = uv.reshape(-1)
    layer.data.foreach_get("uv", flat)
    starts, counts = (np.zeros(len(mesh.polygons), np.int32) for _ in range(2))
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.polygons.foreach_get("loop_total", counts)
    slots = material_slots(mesh)
    slot = slot_of(mesh, material)
    changed = 0
    for face in faces.tolist():
        corners = np.s_[starts[face] : starts[face] + counts[face]]
        changed += bool(slots[face] != slot or (cell_at(uv[corners]) != entry).any())
        uv[corners], slots[face] = cell_center(np.array([entry])), slot
    layer.data.foreach_set("uv", flat)
    write_material_slots(mesh, slots)
    mesh.update()
    return changed


# --- Effects of mesh faces (TR4, TR5) --------------------------------------------------------------


def read_effects(mesh: Mesh) -> NDArray[np.int32]:
    """Return the effects word of every face, (n,); zeros where the mesh has none."""
    words = read_ints(mesh.attributes.get(EFFECTS), "FACE", len(mesh.polygons))
    return np.zeros(len(mesh.polygons), np.int32) if words is None else words


def write_effects(
    mesh: Mesh, faces: NDArray[np.int64], change: Callable[[NDArray[np.int32]], NDArray[Any]]
) -> int:
    """Change the effects words of faces, and return how many changed."""
    words = read_effects(mesh)
    before = words.copy()
    words[faces] = change(words[faces])
    if (words == before).all():
        return 0
    if EFFECTS not in mesh.attributes:
        mesh.attributes.new(EFFECTS, "INT", "FACE")
    layer = mesh.attributes[EFFECTS]
    layer.data.foreach_set("value", words)
    mesh.update()
    return int((words != before).sum())


def set_shine(mesh: Mesh, faces: NDArray[np.int64], shines: bool, strength: int) -> int:
    """Set whether faces reflect the environment map, and how strongly (0 to 31); return how many changed.

    Raises:
        ExportError: if they are to shine and the mesh has light of its own, which the games crash on.
    """
    if shines and LIGHT in mesh.attributes:
        problem = T("the mesh has light of its own, and the game crashes if such a mesh shines")
        raise ExportError(mesh.name, problem)
    strength = min(max(strength, 0), SHINE_STRENGTH.largest)

    def change(words: NDArray[np.int32]) -> NDArray[Any]:
        return SHINE_STRENGTH.put(SHINE_EFFECT.put(words, int(shines)), strength)

    return write_effects(mesh, faces, change)


def set_additive(root: Collection, mesh: Mesh, faces: NDArray[np.int64], additive: bool) -> int:
    """Set whether faces are additive whatever their texture, and return how many changed."""
    changed = write_effects(mesh, faces, lambda words: ADDITIVE_EFFECT.put(words, int(additive)))
    if additive:
        _switch_materials(root, mesh, faces, BlendMode.ADDITIVE, "attribute")
        return changed
    # Without the effect, faces blend as their texture in the file does.
    textures = _blending_in_file(root, mesh)[faces]
    for attribute in np.unique(textures).tolist():
        set_blending(root, mesh, faces[textures == attribute], attribute)
    return changed


def _blending_in_file(root: Collection, mesh: Mesh) -> NDArray[np.int64]:
    """Return the blend mode of the object texture that each face had; opaque for new faces."""
    decoded = original.load(root)
    layer: Any = mesh.attributes.get(TEXTURE)
    if decoded is None or layer is None:
        return np.zeros(len(mesh.polygons), np.int64)
    words = read_values(layer, len(mesh.polygons))
    return TextureView(decoded.level).attribute(words, 0x7FFF)
