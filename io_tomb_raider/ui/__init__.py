"""User interface: operators, panels, menus, dropped files and the command line. Nothing is converted here."""

from __future__ import annotations

import gc
from importlib import import_module
from types import ModuleType

# All modules that register something, in order.
_MODULES = (
    "base.text.i18n",
    "preferences.operators",
    "level.import_level",
    "new_levels.operators",
    "append.pictures",
    "append.operators",
    "convert.operators",
    "append.replacing",
    "assets.operators",
    "exchange.operators",
    "models.splitting",
    "models.fitting",
    "level.export_level",
    "wads.operators",
    "wads.skins",
    "patches.operators",
    "projects.operators",
    "injections.addons",
    "injections.operators",
    "animation_files.operators",
    "play.operators",
    "view.deferred_ui",
    "level.drop",
    "menus",
    "level.tools",
    "checks.operators",
    "checks.copying",
    "checks.repairing",
    "checks.selected",
    "view.visibility",
    "rooms.numbers",
    "rooms.apart",
    "rooms.operators",
    "rooms.effects",
    "split_into_rooms.operators",
    "bake.operators",
    "textures.operators",
    "textures.pieces",
    "textures.level_materials",
    "texture_tiles.brush",
    "texture_tiles.shown",
    "texture_tiles.palette",
    "texture_tiles.choosing",
    "texture_tiles.overlay",
    "texture_tiles.tools",
    "animations.operators",
    "motion.operators",
    "motion.presets",
    "motion.retargeting",
    "animations.library",
    "animation_views.operators",
    "animation_views.overlay",
    "state_graph.nodes",
    "state_graph.opening",
    "state_graph.operators",
    "state_graph.refreshing",
    "animation_tools.operators",
    "animation_tools.layers",
    "animation_tools.poses",
    "animation_tools.timing",
    "animations.matching",
    "control_rig.operators",
    "control_rig.following",
    "control_rig.picker",
    "control_rig.reach",
    "meshes.boxes",
    "cameras.operators",
    "new.operators",
    "entities.operators",
    "collision.operators",
    "collision.selecting",
    "collision_from_mesh.operators",
    "bisect.operators",
    "mesh_from_sectors.operators",
    "mesh_from_sectors.overlay",
    "triggers.operators",
    "models.operators",
    "pathfinding.operators",
    "cutscenes.operators",
    "cutscenes.actors",
    "cutscenes.cameras",
    "game_files.scripts",
    "game_files.gameflow",
    "game_files.pictures",
    "sounds.operators",
    "sounds.files",
    "tool_menus",
    "panels",
    "handlers",
    "manual",
    "command_line.blender",
)


def load() -> tuple[ModuleType, ...]:
    """Return all modules that register something, in order.

    This is a function because not every command of the command line needs Blender. The modules import nothing
    that converts: operators, panels and handlers import that when they are called.
    """
    is_collecting = gc.isenabled()
    gc.disable()  # there is no garbage among new classes, and each search for it would walk over more of them
    try:
        return tuple(import_module(f".{name}", __name__) for name in _MODULES)
    finally:
        if is_collecting:
            gc.enable()


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

    modules = load()
    guard_operators()
    for module in modules:
        module.register()


def unregister() -> None:
    for module in reversed(load()):
        module.unregister()
