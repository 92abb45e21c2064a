"""The menu *Tomb Raider* of the 3D view, with a submenu for each subject.

Blender's search (F3) finds only operators that are in menus.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bpy.types import Context, Menu

from ..formats.base import N_
from .base.layout.menu_entries import Entries, with_entries
from .base.levels import game_of, meant_level, scene_levels

_MODES = ("OBJECT", "EDIT_MESH", "POSE")


class _Entry(NamedTuple):
    """An entry of a menu."""

    name: str  #: the operator, without its group; "" for a separator.
    choices: str = ""  #: an enumeration of the operator that a submenu lists.
    text: str = ""  #: instead of the label of the operator.
    settings: tuple[tuple[str, object], ...] = ()  #: properties of the operator.


_RAISE = _Entry("raise_sectors", text=N_("Raise"), settings=(("clicks", 1),))
_LOWER = _Entry("raise_sectors", text=N_("Lower"), settings=(("clicks", -1),))
_LEVEL = (
    *("check_level", "clear_findings", "copy_report", ""),
    *("play_level", "play_from_here", "show_engine_output", "script_entry", ""),
    *("convert", "mark_as_assets", "unmark_assets", "", "select_level", "delete_level"),
)


class _SubjectMenu(Menu):
    """Base of the submenus."""

    entries: tuple[_Entry | str, ...] = ()  #: the operators; a name alone is one without more.

    def draw(self, _context: Context | None) -> None:
        _draw_entries(self.layout, self.entries)


def _draw_entries(layout: Any, entries: tuple[_Entry | str, ...]) -> None:
    layout.operator_context = "INVOKE_REGION_WIN"
    for item in entries:
        entry = _Entry(item) if isinstance(item, str) else item
        operator = f"tomb_raider.{entry.name}"
        if not entry.name:
            layout.separator()
        elif entry.choices:
            layout.operator_menu_enum(operator, entry.choices)
        else:
            button = layout.operator(operator, text=entry.text) if entry.text else layout.operator(operator)
            for setting, value in entry.settings:
                setattr(button, setting, value)


class VIEW3D_MT_tomb_raider_view(_SubjectMenu):
    bl_label = "View"
    entries = (
        *("isolate_room", "overview", "camera_behind_lara", "flip_level", ""),
        _Entry("toggle_library", choices="kind"),
        "toggle_ceilings",
    )


class VIEW3D_MT_tomb_raider_fix(_SubjectMenu):
    bl_label = "Fix"
    entries = (
        _Entry("fix_selected", text=N_("Drop to Floor"), settings=(("fix", "put_down"),)),
        _Entry("fix_selected", text=N_("Show as in Game"), settings=(("fix", "as_in_game"),)),
        _Entry("fix_selected", text=N_("Remove Shine"), settings=(("fix", "remove_shine"),)),
        _Entry("fix_selected", text=N_("Add Twin"), settings=(("fix", "add_twin"),)),
        _Entry("fix_selected", text=N_("Flip Portal"), settings=(("fix", "flip_portal"),)),
    )


class VIEW3D_MT_tomb_raider_edits(_SubjectMenu):
    bl_label = "Edits of TRX"
    entries = (
        _Entry("apply_edits", choices="scope"),
        _Entry("delete_edits", choices="scope"),
        "refresh_edits",
    )


class VIEW3D_MT_tomb_raider_level(Menu):
    bl_label = "Level"

    def draw(self, context: Context | None) -> None:
        for menu in (VIEW3D_MT_tomb_raider_view, VIEW3D_MT_tomb_raider_fix):
            self.layout.menu(menu.__name__)
        level = None if context is None else meant_level(context)
        if level is None or game_of(level).traits.has_trx:
            self.layout.menu(VIEW3D_MT_tomb_raider_edits.__name__)
        self.layout.separator()
        _draw_entries(self.layout, _LEVEL)


class VIEW3D_MT_tomb_raider_textures(_SubjectMenu):
    bl_label = "Textures"
    entries = (
        *("paint_tile", "pick_tile", "turn_tile", "mirror_tile", "toggle_favorite", "refresh_palette"),
        *("", "paint_selected", "turn_texture", "mirror_texture", ""),
        *("select_same_texture", "texture_info"),
        _Entry("replace_tile", choices="scope"),
        *("replace_texture", "make_level_material", ""),
        _Entry("set_blending", choices="blending"),
        *("set_double_sided", "set_bump", "set_palette_color", "set_shine", "set_additive", ""),
        *("add_animated_texture", "remove_animated_texture", "refresh_animated_texture"),
        *("add_texture_frames", "add_tile_frame", "add_tile_run", "play_on_faces", "stop_on_faces"),
    )


class VIEW3D_MT_tomb_raider_models(_SubjectMenu):
    bl_label = "Models"
    entries = (
        *("edit_model", "animate_model", "leave_model", "select_same_model", "add_entity", ""),
        *("replace_model", "replace_mesh", "replace_outfit", "prepare_for_exchange", "split_by_bones", ""),
        _Entry("fit_outfit", text=N_("Fit Joints to Skin"), settings=(("fits", "JOINTS"),)),
        _Entry("fit_outfit", text=N_("Fit Animations to Joints"), settings=(("fits", "ANIMATIONS"),)),
        *("fit_outfit", "", "make_skin", "use_as_skin", "split_skin", "export_for_wadtool", ""),
        *("fit_boxes", "recalculate_sphere", "recalculate_normals", ""),
        _Entry("edit_properties", choices="action"),
        _Entry("set_mesh_light", choices="light"),
    )


class VIEW3D_MT_tomb_raider_animations(_SubjectMenu):
    bl_label = "Animations"
    entries = (
        *("play_animation", "play_chain", "press_keys", "stop_chain"),
        *("go_to_animation", "show_state_graph", ""),
        _Entry("add_event", text=N_("Add Sound"), settings=(("kind", "SOUND"),)),
        _Entry("add_event", text=N_("Add Effect"), settings=(("kind", "EFFECT"),)),
        *("", "fit_key_boxes", "reset_key_boxes", "", "add_control_rig", "list_limbs"),
        _Entry("switch_limbs", choices="target"),
        _Entry("snap_controls", choices="frames"),
        _Entry("snap_pose", choices="frames"),
        _Entry("change_space", choices="space"),
        *("hold_control", "plant_on_ground", "look_at"),
        _Entry("bake_controls", choices="animations"),
        "remove_control_rig",
    )


class VIEW3D_MT_tomb_raider_edit_keys(_SubjectMenu):
    bl_label = "Edit Keys"
    entries = (
        *("spread_edit", "apply_pose", "add_layer", "key_rest", "bake_layer", ""),
        *("duplicate_animation", "mirror_animation", "reverse_animation", ""),
        *("retime_animation", "resample_animation", "smooth_keys", "split_animation", ""),
        *("check_loops", "close_loop", "", "replace_events", "fix_animations"),
    )


class VIEW3D_MT_tomb_raider_motion(_SubjectMenu):
    bl_label = "Motion"
    entries = (
        *("import_motion", "retarget", "list_bones", ""),
        *("find_loop", "plant_feet", "footsteps"),
    )


class VIEW3D_MT_tomb_raider_triggers(_SubjectMenu):
    bl_label = "Triggers"
    entries = (
        "add_trigger",
        _Entry("add_trigger_action", choices="kind"),
        *("remove_trigger_action", "", "select_trigger_targets", "select_triggers"),
    )


class VIEW3D_MT_tomb_raider_collision(_SubjectMenu):
    bl_label = "Collision"
    entries = (
        *("isolate_collision", "add_collision", "resize_collision", "refresh_collision"),
        *("room_from_sectors", "show_rounding", "", _RAISE, _LOWER),
        *("flatten_sectors", "make_walls", "make_floors"),
        _Entry("divide_sectors", choices="split"),
        *("open_sectors", "close_sectors", ""),
        _Entry("set_sector_mark", choices="mark"),
        "set_climbable",
        _Entry("set_sector_material", choices="material"),
        _Entry("take_drawn_piece", choices="role"),
        "",
        _Entry("select_collision", choices="part"),
        *("hide_backs", "", "refresh_boxes", "set_blockable", "set_zone"),
    )


class VIEW3D_MT_tomb_raider_lights(_SubjectMenu):
    bl_label = "Lights"
    entries = (
        "bake_light",
        "",
        _Entry("set_vertex_effect", choices="effect"),
        "set_effect_strength",
        _Entry("show_vertex_effects", choices="display"),
    )


class VIEW3D_MT_tomb_raider_cameras(_SubjectMenu):
    bl_label = "Cameras and Cutscenes"
    entries = (
        "preview_flyby",
        "watch_cutscene",
        "",
        "new_cutscene",
        "add_actors",
        "add_actor_animation",
        "cut_to_camera",
        "set_cutscene_sound",
    )


class VIEW3D_MT_tomb_raider_sounds(_SubjectMenu):
    bl_label = "Sounds"
    entries = (
        *("play_sound", "replace_sound", "add_sample_file", "load_samples", "add_to_sound_file", ""),
        "show_sound_sources",
        _Entry("edit_sounds", choices="action"),
    )


_SUBMENUS = (
    VIEW3D_MT_tomb_raider_textures,
    VIEW3D_MT_tomb_raider_models,
    VIEW3D_MT_tomb_raider_animations,
    VIEW3D_MT_tomb_raider_edit_keys,
    VIEW3D_MT_tomb_raider_motion,
    VIEW3D_MT_tomb_raider_triggers,
    VIEW3D_MT_tomb_raider_collision,
    VIEW3D_MT_tomb_raider_lights,
    VIEW3D_MT_tomb_raider_cameras,
    VIEW3D_MT_tomb_raider_sounds,
)


class VIEW3D_MT_tomb_raider(Menu):
    bl_label = "Tomb Raider"

    def draw(self, _context: Context | None) -> None:
        layout = self.layout
        layout.menu(VIEW3D_MT_tomb_raider_level.__name__)
        layout.menu("TOMB_RAIDER_MT_object", text="Rooms")
        for menu in _SUBMENUS:
            layout.menu(menu.__name__)


class VIEW3D_MT_tomb_raider_pose(Menu):
    bl_label = "Tomb Raider"

    def draw(self, _context: Context | None) -> None:
        for menu in (
            VIEW3D_MT_tomb_raider_animations,
            VIEW3D_MT_tomb_raider_edit_keys,
            VIEW3D_MT_tomb_raider_motion,
        ):
            self.layout.menu(menu.__name__)


def _draw_pose(menu: Menu, context: Context) -> None:
    if scene_levels(context):
        menu.layout.separator()
        menu.layout.menu(VIEW3D_MT_tomb_raider_pose.__name__)


def _draw_view(menu: Menu, context: Context) -> None:
    if context.mode in _MODES and scene_levels(context):
        menu.layout.menu(VIEW3D_MT_tomb_raider.__name__)


def _draw_dope_sheet(menu: Menu, context: Context) -> None:
    if scene_levels(context):
        menu.layout.menu(VIEW3D_MT_tomb_raider_animations.__name__, text="Tomb Raider")


def _draw_text(menu: Menu, context: Context) -> None:
    text = getattr(context.space_data, "text", None)
    if text is not None and text.tomb_raider.kind != "NONE":
        menu.layout.separator()
        menu.layout.operator("tomb_raider.check_script").text = text.name
        menu.layout.operator("tomb_raider.export_script").text = text.name


def _draw_faces(menu: Menu, context: Context) -> None:
    if scene_levels(context):
        menu.layout.separator()
        menu.layout.menu(VIEW3D_MT_tomb_raider_textures.__name__, text="Tomb Raider")


_ENTRIES: Entries = (
    ("VIEW3D_MT_editor_menus", _draw_view),
    ("VIEW3D_MT_edit_mesh_faces", _draw_faces),
    ("VIEW3D_MT_pose", _draw_pose),
    ("DOPESHEET_MT_editor_menus", _draw_dope_sheet),
    ("TEXT_MT_text", _draw_text),
)

register, unregister = with_entries(
    (
        VIEW3D_MT_tomb_raider_view,
        VIEW3D_MT_tomb_raider_fix,
        VIEW3D_MT_tomb_raider_edits,
        VIEW3D_MT_tomb_raider_level,
        *_SUBMENUS,
        VIEW3D_MT_tomb_raider_pose,
        VIEW3D_MT_tomb_raider,
    ),
    _ENTRIES,
)
