"""All panels, in drawing order."""

from __future__ import annotations

from typing import Any

import bpy

from . import level_panels as level_panels
from .animation_tools import panels as animation_tool_panels
from .animation_views import panels as animation_view_panels
from .animations import library
from .animations import panels as animation_panels
from .base.layout.sidebar import in_sidebar
from .cameras import panels as camera_panels
from .checks import panels as check_panels
from .collision import panels as collision_panels
from .control_rig import panels as control_rig_panels
from .cutscenes import panels as cutscene_panels
from .entities import panels as entity_panels
from .game_files import panels as file_panels
from .injections import panels as injection_panels
from .lights import panels as light_panels
from .mesh_from_sectors import panels as drawing_panels
from .meshes import panels as mesh_panels
from .models import panels as model_panels
from .motion import panels as motion_panels
from .pathfinding import panels as pathfinding_panels
from .projects import panels as project_panels
from .rooms import effects as vertex_effects
from .rooms import panels as room_panels
from .sounds import panels as sound_panels
from .sprites import panels as sprite_panels
from .state_graph import panels as state_graph_panels
from .static_meshes import panels as static_mesh_panels
from .texture_tiles import panels as texturing_panels
from .textures import image_panels, material_panels
from .textures import panels as texture_panels
from .triggers import panels as trigger_panels
from .wads import panels as wad_panels

_OWN: tuple[type[Any], ...] = (
    *library.CLASSES,
    *animation_view_panels.CLASSES,
    *animation_tool_panels.CLASSES,
    *level_panels.CLASSES,
    *injection_panels.CLASSES,
    *project_panels.CLASSES,
    *check_panels.CLASSES,
    *room_panels.CLASSES,
    *vertex_effects.CLASSES,
    *light_panels.CLASSES,
    *static_mesh_panels.CLASSES,
    *model_panels.CLASSES,
    *wad_panels.CLASSES,
    *entity_panels.CLASSES,
    *sprite_panels.CLASSES,
    *mesh_panels.CLASSES,
    *material_panels.CLASSES,
    *texturing_panels.CLASSES,
    *texture_panels.CLASSES,
    *state_graph_panels.CLASSES,
    *animation_panels.CLASSES,
    *control_rig_panels.CLASSES,
    *motion_panels.CLASSES,
    *image_panels.CLASSES,
    *camera_panels.CLASSES,
    *collision_panels.CLASSES,
    *drawing_panels.CLASSES,
    *trigger_panels.CLASSES,
    *cutscene_panels.CLASSES,
    *pathfinding_panels.CLASSES,
    *file_panels.CLASSES,
    *sound_panels.CLASSES,
)

_CLASSES: tuple[type[Any], ...] = (*in_sidebar(_OWN), *_OWN)

register, unregister = bpy.utils.register_classes_factory(_CLASSES)
