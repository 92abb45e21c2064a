"""Entries of Blender's own menus: *Tomb Raider* in File > Import and Export, and the menu of collections."""

from __future__ import annotations

import os
from collections.abc import Sequence

from bpy.types import Context, Menu, UILayout

from ..formats.base import N_
from ..scene.core import is_level
from .base.layout.menu_entries import Entries, with_entries
from .base.levels import ALL_SUFFIXES, OBJECT_SUFFIXES, file_name, meant_level, scene_levels
from .base.text.i18n import translate
from .level_panels import draw_visibility

# Operators with their labels and the suffixes of their files; none where they depend on what is chosen.
FileEntry = tuple[str, str, tuple[str, ...]]
_OBJECTS = N_("Object File")
IMPORTS: tuple[FileEntry, ...] = (
    ("import_scene.tomb_raider", N_("Level"), ALL_SUFFIXES),
    ("import_scene.tomb_raider_project", N_("Tomb Editor Project"), (".prj2", ".prj")),
    ("import_scene.tomb_raider", _OBJECTS, OBJECT_SUFFIXES),
    ("import_anim.tomb_raider", N_("Animation"), (".anim", ".trw")),
    ("tomb_raider.append", N_("Append from Level"), ()),
)
OTHER_IMPORTS: tuple[tuple[FileEntry, ...], ...] = (
    (
        ("tomb_raider.import_motion", N_("Motion"), (".bvh", ".fbx", ".glb", ".gltf")),
        ("tomb_raider.replace_outfit", N_("Lara's Outfit from Level"), ()),
    ),
    (
        ("import_scene.tomb_raider_sounds", N_("Sounds"), (".sfx", ".wad", ".db")),
        ("import_scene.tomb_raider_cutscene", N_("Cutscene"), (".pak", ".bin")),
        ("import_image.tomb_raider_picture", N_("Picture"), (".pak",)),
        ("tomb_raider.import_script", N_("Script"), (".dat",)),
        ("tomb_raider.read_gameflow", N_("Level's Entry in Game Flow"), (".json5",)),
    ),
    (
        ("import_scene.tomb_raider_injection", N_("Injection of TRX"), (".bin",)),
        ("import_scene.tomb_raider_patch", N_("Patch"), (".trpatch",)),
        ("tomb_raider.repair_level", N_("Repair Level"), ()),  # reads a level's file and writes another one
        ("tomb_raider.update_gameflow", N_("Update Game Flow"), (".json5",)),
    ),
)
EXPORTS: tuple[FileEntry, ...] = (
    ("export_scene.tomb_raider", N_("Level"), ()),
    ("export_scene.tomb_raider_project", N_("Tomb Editor Project"), (".prj2",)),
    ("tomb_raider.put_model", _OBJECTS, OBJECT_SUFFIXES),
    ("export_anim.tomb_raider", N_("Animation"), (".anim",)),
)
OTHER_EXPORTS: tuple[tuple[FileEntry, ...], ...] = (
    (
        ("export_scene.tomb_raider_compiled", N_("Compiled Tomb Editor Project"), ()),
        ("tomb_raider.put_animation", N_("Animation into WAD"), OBJECT_SUFFIXES),
        (
            "tomb_raider.export_exchange",
            N_("Selection to Other Programs"),
            (".glb", ".gltf", ".fbx", ".obj"),
        ),
        ("tomb_raider.export_for_wadtool", N_("Skin for WadTool"), (".fbx", ".glb", ".gltf")),
    ),
    (
        ("export_scene.tomb_raider_sounds", N_("Sounds"), (".sfx", ".wad", ".db")),
        ("export_scene.tomb_raider_cutscenes", N_("Cutscenes"), (".pak", ".bin")),
        ("export_image.tomb_raider_picture", N_("Picture"), (".pak",)),
        ("tomb_raider.export_script", N_("Script"), (".dat",)),
        ("tomb_raider.write_gameflow", N_("Level's Entry into Game Flow"), (".json5",)),
    ),
    (
        ("export_scene.tomb_raider_injection", N_("Injection of TRX"), (".bin",)),
        ("export_scene.tomb_raider_addon", N_("Addon for TRX"), (".bin",)),
        ("export_scene.tomb_raider_patch", N_("Patch"), (".trpatch",)),
    ),
)


def _draw_entry(layout: UILayout, entry: FileEntry) -> None:
    operator, label, suffixes = entry
    text = translate(label)
    if suffixes:
        text = f"{text} ({'/'.join(suffixes)})"
    button = layout.operator(operator, text=text, translate=False)
    if entry in IMPORTS and label is _OBJECTS:
        button.filter_glob = ";".join(f"*{suffix}" for suffix in suffixes)


class TOPBAR_MT_tomb_raider_import(Menu):
    """Menu of the imports that are used most."""

    bl_label = "Tomb Raider"

    def draw(self, _context: Context | None) -> None:
        for entry in IMPORTS:
            _draw_entry(self.layout, entry)
        self.layout.menu(TOPBAR_MT_tomb_raider_import_other.bl_idname)


class TOPBAR_MT_tomb_raider_import_other(Menu):
    """Menu of all other imports."""

    bl_idname = "TOPBAR_MT_tomb_raider_import_other"
    bl_label = "Other"

    def draw(self, _context: Context | None) -> None:
        _draw_groups(self.layout, OTHER_IMPORTS)


class TOPBAR_MT_tomb_raider_export(Menu):
    """Menu of the exports that are used most. The level's entry names the file that it becomes."""

    bl_label = "Tomb Raider"

    def draw(self, context: Context | None) -> None:
        for entry in EXPORTS:
            _draw_entry(self.layout, _of_level(entry, context))
        self.layout.menu(TOPBAR_MT_tomb_raider_export_other.bl_idname)
        self.layout.operator("tomb_raider.play_level", icon="PLAY")


class TOPBAR_MT_tomb_raider_export_other(Menu):
    """Menu of all other exports."""

    bl_idname = "TOPBAR_MT_tomb_raider_export_other"
    bl_label = "Other"

    def draw(self, _context: Context | None) -> None:
        _draw_groups(self.layout, OTHER_EXPORTS)
        self.layout.separator()
        self.layout.operator("tomb_raider.play_from_here", icon="PIVOT_CURSOR")


def _of_level(entry: FileEntry, context: Context | None) -> FileEntry:
    """Return an entry; that of the level with the suffix of its file."""
    level = None if context is None or entry[0] != "export_scene.tomb_raider" else meant_level(context)
    return entry if level is None else (*entry[:2], (os.path.splitext(file_name(level))[1].lower(),))


def _draw_groups(layout: UILayout, groups: Sequence[Sequence[FileEntry]]) -> None:
    for number, group in enumerate(groups):
        if number:
            layout.separator()
        for entry in group:
            _draw_entry(layout, entry)


def _draw_imports(menu: Menu, _context: Context) -> None:
    menu.layout.menu("TOPBAR_MT_tomb_raider_import")


def _draw_exports(menu: Menu, _context: Context) -> None:
    menu.layout.menu("TOPBAR_MT_tomb_raider_export")


def _draw_collection(menu: Menu, context: Context) -> None:
    """Add Delete next to Blender's own operators on collections in the outliner."""
    if context.collection is not None and is_level(context.collection):
        menu.layout.separator()
        menu.layout.operator("tomb_raider.delete_level", icon="TRASH").collection = context.collection.name


def _draw_view(menu: Menu, context: Context) -> None:
    """Add the views of a level next to Blender's own."""
    if scene_levels(context):
        menu.layout.separator()
        menu.layout.operator("tomb_raider.overview", text="Level from Above", icon="ZOOM_ALL")
        menu.layout.operator("tomb_raider.camera_behind_lara", icon="OUTLINER_OB_CAMERA")


_ENTRIES: Entries = (
    ("VIEW3D_HT_header", draw_visibility),
    ("VIEW3D_MT_view", _draw_view),
    ("OUTLINER_MT_collection", _draw_collection),
    ("TOPBAR_MT_file_import", _draw_imports),
    ("TOPBAR_MT_file_export", _draw_exports),
)

register, unregister = with_entries(
    (
        TOPBAR_MT_tomb_raider_import,
        TOPBAR_MT_tomb_raider_import_other,
        TOPBAR_MT_tomb_raider_export,
        TOPBAR_MT_tomb_raider_export_other,
    ),
    _ENTRIES,
)
