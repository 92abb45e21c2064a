"""Links from operators and settings (F1, *Online Manual*) to the manual in the extension."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Operator, PropertyGroup

_MANUAL = Path(__file__).resolve().parent.parent / "manual" / "index.html"

# Pages of subjects whose folder has another name than the page.
_PAGES = {
    "actions": "animations",
    "new": "sidebar",
    "animated_textures": "textures",
    "animation_files": "animation-files",
    "animation_tools": "edit-keys",
    "animation_views": "watch-animations",
    "assets": "libraries",
    "bake": "bake-light",
    "base": "sidebar",
    "collision_from_mesh": "mesh-and-sectors",
    "bisect": "rooms",
    "checks": "check",
    "control_rig": "control-rig",
    "mesh_from_sectors": "mesh-and-sectors",
    "game_files": "side-files",
    "gameflow": "side-files",
    "images": "textures",
    "level": "sidebar",
    "level_panels": "sidebar",
    "models": "meshes",
    "motion": "motions",
    "new_levels": "new-levels",
    "play": "preferences",
    "properties": "sidebar",
    "split_into_rooms": "scene-to-level",
    "sprites": "textures",
    "state_graph": "watch-animations",
    "static_meshes": "meshes",
    "texts": "side-files",
    "texture_tiles": "texture-brush",
    "view": "sidebar",
    "watching": "watch-animations",
}
# Pages of classes that differ from the page of their module.
_PAGES_OF = {
    "COLLECTION_PT_tomb_raider_flips": "portals",
    "EXPORT_IMAGE_OT_tomb_raider_picture": "pictures",
    "EXPORT_SCENE_OT_tomb_raider": "import-export",
    "IMPORT_IMAGE_OT_tomb_raider_picture": "pictures",
    "IMPORT_SCENE_OT_tomb_raider": "import-export",
    "MATERIAL_PT_tomb_raider": "materials",
    "OBJECT_PT_tomb_raider_own_materials": "materials",
    "OBJECT_PT_tomb_raider_portal": "portals",
    "OBJECT_PT_tomb_raider_replace": "replace-models",
    "TOMB_RAIDER_OT_add_tile_frame": "textures",
    "TOMB_RAIDER_OT_add_tile_run": "textures",
    "TOMB_RAIDER_OT_edit_model": "sidebar",
    "TOMB_RAIDER_OT_fit_key_boxes": "animations",
    "TOMB_RAIDER_OT_fit_outfit": "replace-models",
    "TOMB_RAIDER_OT_flip_level": "portals",
    "TOMB_RAIDER_OT_hide_backs": "collision",
    "TOMB_RAIDER_OT_leave_model": "sidebar",
    "TOMB_RAIDER_OT_make_level_material": "materials",
    "TOMB_RAIDER_OT_make_portal": "portals",
    "TOMB_RAIDER_OT_mirror_texture": "textures",
    "TOMB_RAIDER_OT_play_chain": "watch-animations",
    "TOMB_RAIDER_OT_recalculate_normals": "meshes",
    "TOMB_RAIDER_OT_recalculate_sphere": "meshes",
    "TOMB_RAIDER_OT_replace_mesh": "replace-models",
    "TOMB_RAIDER_OT_replace_model": "replace-models",
    "TOMB_RAIDER_OT_replace_outfit": "replace-models",
    "TOMB_RAIDER_OT_replace_tile": "textures",
    "TOMB_RAIDER_OT_reset_key_boxes": "animations",
    "TOMB_RAIDER_OT_select_same_model": "sidebar",
    "TOMB_RAIDER_OT_set_effect_strength": "water",
    "TOMB_RAIDER_OT_set_mesh_light": "meshes",
    "TOMB_RAIDER_OT_set_vertex_effect": "water",
    "TOMB_RAIDER_OT_show_vertex_effects": "water",
    "TOMB_RAIDER_OT_split_by_bones": "exchange",
    "TOMB_RAIDER_OT_stop_chain": "watch-animations",
    "TOMB_RAIDER_OT_texture_info": "textures",
    "TOMB_RAIDER_OT_turn_texture": "textures",
    "TombRaiderAIObject": "entities",
    "TombRaiderAlong": "libraries",
    "TombRaiderBonePair": "motions",
    "TombRaiderBoxes": "pathfinding",
    "TombRaiderEngineProperty": "entities",
    "TombRaiderEntity": "entities",
    "TombRaiderFinding": "check",
    "TombRaiderLevel": "entities",
    "TombRaiderLight": "lights",
    "TombRaiderLit": "lights",
    "TombRaiderMaterial": "materials",
    "TombRaiderMotion": "motions",
    "TombRaiderPlacement": "meshes",
    "TombRaiderPortal": "portals",
    "TombRaiderSkyLayer": "sky-and-fog",
    "TombRaiderSprite": "textures",
    "TombRaiderStaticMesh": "meshes",
    "VIEW3D_PT_tomb_raider_edited_model": "sidebar",
    "VIEW3D_PT_tomb_raider_vertex_effects": "water",
}
# Pages of properties on Blender's own data.
_OWNED = (
    ("bpy.types.scene.tomb_raider_palette", "texture-brush"),
    ("bpy.types.windowmanager.tomb_raider_numbers", "sidebar"),
    ("bpy.types.windowmanager.tomb_raider_boxes", "meshes"),
    ("bpy.types.windowmanager.tomb_raider_gaps", "mesh-and-sectors"),
    ("bpy.types.windowmanager.tomb_raider_trigger_lines", "triggers"),
    ("bpy.types.windowmanager.tomb_raider_sound", "sounds"),
    ("bpy.types.*.tomb_raider", "how-it-looks"),
)


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the manual's URL and the pages by RNA name, as Blender expects them."""
    return f"{_MANUAL.as_uri()}#", tuple(_anchors())


def _anchors() -> Iterator[tuple[str, str]]:
    """Yield patterns of lower-case RNA names, each with its anchor in the manual. The first match counts."""
    for operator in operators():
        yield f"bpy.ops.{operator.bl_idname}", anchor(operator)
        yield f"bpy.types.{operator.bl_rna.identifier.lower()}.*", anchor(operator)
    for group in groups():
        name = f"bpy.types.{group.__name__}".lower()
        for setting in settings(group):
            yield f"{name}.{setting.identifier}", anchor(group, setting.identifier)
        yield f"{name}.*", page_of(group)
        yield name, page_of(group)
    yield from _OWNED


def page_of(kind: type[Any]) -> str:
    """Return the page of an operator, a panel or a group of settings, chosen by its folder."""
    floor, *inner = kind.__module__.removeprefix(f"{_PACKAGE}.").split(".")
    subject = inner[-1] if inner and inner[0] == "properties" else (inner or [floor])[0]
    return _PAGES_OF.get(kind.__name__) or _PAGES.get(subject, subject)


def anchor(kind: type[Any], setting: str = "") -> str:
    """Return the anchor of an operator, or of a setting of a group."""
    return f"{kind.__name__}.{setting}".lower() if setting else str(kind.bl_idname)


def operators() -> list[Any]:
    """Return all operators of the extension."""
    # A class with two bases of ours is found twice.
    return [operator for operator in dict.fromkeys(_ours(Operator)) if getattr(operator, "bl_idname", "")]


def groups() -> list[Any]:
    """Return all groups of settings."""
    return list(_ours(PropertyGroup))


def settings(group: Any) -> list[Any]:
    """Return the visible settings of a group, without collections, nested groups and internal values."""
    if group.__name__ in _NOTES:
        return []
    named = (setting for setting in group.bl_rna.properties if setting.identifier not in _NO_SETTINGS)
    return [setting for setting in named if setting.type != "COLLECTION" and not _is_group(setting)]


# Groups and settings that users do not see.
_NOTES = frozenset(
    {
        *("TombRaiderAlong", "TombRaiderAnimation", "TombRaiderBone", "TombRaiderChain"),
        "TombRaiderLevelImage",
        *("TombRaiderLevelFindings", "TombRaiderLit", "TombRaiderObject"),
    }
)
_NO_SETTINGS = frozenset(
    {
        *("rna_type", "name", "index", "origin", "is_copy", "is_helper", "data_version", "digest", "uid"),
        *("active", "active_action", "active_command", "active_dispatch", "active_event"),
        *("active_frame", "active_sample", "shown_animation", "player", "library_was_shown", "edited"),
        *("imported", "is_shown", "vertex", "middle", "is_separate", "demo_frames", "mended"),
        "view_distance",
    }
)


def _is_group(setting: Any) -> bool:
    return setting.type == "POINTER" and setting.fixed_type.identifier.startswith("TombRaider")


_PACKAGE = __package__.rpartition(".")[0]


def _ours(base: type[Any]) -> Iterator[type[Any]]:
    for kind in base.__subclasses__():
        if kind.__module__.startswith(f"{_PACKAGE}."):
            yield kind
        yield from _ours(kind)


def register() -> None:
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    bpy.utils.unregister_manual_map(manual_map)
