"""User interface: operators, panels, menus, dropped files and the command line. Nothing is converted here."""

from __future__ import annotations

from types import ModuleType


def load() -> tuple[ModuleType, ...]:
    """Return all modules that register something, in order.

    This is a function because not every command of the command line needs Blender. The modules import nothing
    that converts: operators, panels and handlers import that when they are called.
    """
    from . import handlers, manual, menus, panels, tool_menus
    from .animation_files import operators as animation_file_operators
    from .animation_tools import operators as animation_tool_operators
    from .animation_views import operators as animation_view_operators
    from .animation_views import overlay as animation_views_overlay
    from .animations import library
    from .animations import matching as control_rig_matching
    from .animations import operators as animation_operators
    from .append import operators as append_operators
    from .append import pictures as append_pictures
    from .append import replacing
    from .assets import operators as asset_operators
    from .bake import operators as baking_operators
    from .base.text import i18n
    from .bisect import operators as bisect_operators
    from .cameras import operators as camera_operators
    from .checks import copying, repairing, selected
    from .checks import operators as check_operators
    from .collision import operators as collision_operators
    from .collision_from_mesh import operators as collision_from_mesh_operators
    from .command_line import blender as command_line
    from .control_rig import operators as control_rig_operators
    from .control_rig import reach as control_rig_reach
    from .convert import operators as convert_operators
    from .cutscenes import operators as cutscene_operators
    from .entities import operators as entity_operators
    from .exchange import operators as exchange_operators
    from .game_files import gameflow, pictures, scripts
    from .injections import operators as injection_operators
    from .level import drop, export_level, import_level, tools
    from .mesh_from_sectors import operators as mesh_from_sectors_operators
    from .mesh_from_sectors import overlay as gaps_overlay
    from .meshes import boxes
    from .models import operators as model_operators
    from .models import splitting as bone_splitting
    from .motion import operators as motion_operators
    from .motion import presets as motion_presets
    from .new import operators as new_object_operators
    from .new_levels import operators as new_level_operators
    from .patches import operators as patch_operators
    from .pathfinding import operators as pathfinding_operators
    from .play import operators as play_operators
    from .preferences import operators as preferences_operators
    from .projects import operators as project_operators
    from .rooms import apart, effects, numbers
    from .rooms import operators as room_operators
    from .sounds import files as sound_files
    from .sounds import operators as sound_operators
    from .split_into_rooms import operators as splitting_operators
    from .state_graph import nodes as state_graph_nodes
    from .state_graph import opening as state_graph_opening
    from .state_graph import operators as state_graph_operators
    from .state_graph import refreshing as state_graph_refreshing
    from .texture_tiles import brush, choosing, overlay, palette, shown
    from .texture_tiles import tools as texturing_tools
    from .textures import level_materials, pieces
    from .textures import operators as texture_operators
    from .triggers import operators as trigger_operators
    from .view import deferred_ui, visibility
    from .wads import operators as wad_operators

    return (
        i18n,
        preferences_operators,
        import_level,
        new_level_operators,
        append_pictures,
        append_operators,
        convert_operators,
        replacing,
        asset_operators,
        exchange_operators,
        bone_splitting,
        export_level,
        wad_operators,
        patch_operators,
        project_operators,
        injection_operators,
        animation_file_operators,
        play_operators,
        deferred_ui,
        drop,
        menus,
        tools,
        check_operators,
        copying,
        repairing,
        selected,
        visibility,
        numbers,
        apart,
        room_operators,
        effects,
        splitting_operators,
        baking_operators,
        texture_operators,
        pieces,
        level_materials,
        brush,
        shown,
        palette,
        choosing,
        overlay,
        texturing_tools,
        animation_operators,
        motion_operators,
        motion_presets,
        library,
        animation_view_operators,
        animation_views_overlay,
        state_graph_nodes,
        state_graph_opening,
        state_graph_operators,
        state_graph_refreshing,
        animation_tool_operators,
        control_rig_matching,
        control_rig_operators,
        control_rig_reach,
        boxes,
        camera_operators,
        new_object_operators,
        entity_operators,
        collision_operators,
        collision_from_mesh_operators,
        bisect_operators,
        mesh_from_sectors_operators,
        gaps_overlay,
        trigger_operators,
        model_operators,
        pathfinding_operators,
        cutscene_operators,
        scripts,
        gameflow,
        pictures,
        sound_operators,
        sound_files,
        tool_menus,
        panels,
        handlers,
        manual,
        command_line,
    )


def refuse_second_copy(package: str) -> None:
    """Raise RuntimeError if another copy of the extension is enabled, such as one with the id for developers.

    Both register the same operators and properties. Blender would replace those of the first copy, which
    could then neither be used nor disabled.
    """
    import bpy

    from .base.text import i18n

    registered = bpy.types.Operator.bl_rna_get_subclass_py("IMPORT_SCENE_OT_tomb_raider")
    if registered is None or registered.__module__.startswith(f"{package}."):
        return
    i18n.follow()
    try:
        message = i18n.translate(
            "Another copy of Tomb Raider Levels is enabled. Disable it, then enable this one"
        )
    finally:
        i18n.set_locale("")
    raise RuntimeError(message)


def register() -> None:
    from .base.guard import guard_operators

    parts = load()
    guard_operators()
    for part in parts:
        part.register()


def unregister() -> None:
    for part in reversed(load()):
        part.unregister()
