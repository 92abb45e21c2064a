"""Entries of Blender's own menus: *Tomb Raider* in File > Import and Export, and the menu of collections."""

from __future__ import annotations

from collections.abc import Iterable

from bpy.types import Context, Menu, UILayout

from ..formats.base.messages import N_
from ..scene.core.members import is_level
from .base.i18n import translate
from .base.levels import ALL_SUFFIXES, IMPORT_SUFFIXES, OBJECT_SUFFIXES, scene_levels
from .base.menu_entries import Entries, with_entries
from .level.panels import draw_visibility

# Operators with their labels and the suffixes of their files.
FileEntry = tuple[str, str, tuple[str, ...]]
IMPORTS: tuple[FileEntry, ...] = (
    ("import_scene.tomb_raider", N_("Level"), IMPORT_SUFFIXES),
    ("import_scene.tomb_raider_project", N_("Tomb Editor Project"), (".prj2", ".prj")),
    ("import_anim.tomb_raider", N_("Animation"), (".anim", ".trw")),
    ("tomb_raider.import_script", N_("Script"), (".dat",)),
    ("import_scene.tomb_raider_sounds", N_("Sounds"), (".sfx", ".wad", ".db")),
    ("import_scene.tomb_raider_cutscene", N_("Cutscene"), (".pak", ".bin")),
    ("import_image.tomb_raider_picture", N_("Picture"), (".pak",)),
    ("import_scene.tomb_raider_patch", N_("Patch"), (".trpatch",)),
)
# Operators that read only pieces of files, and accept no dropped files.
PIECES: tuple[FileEntry, ...] = (
    ("tomb_raider.append", N_("Append from Level"), (*IMPORT_SUFFIXES, ".blend")),
    ("tomb_raider.replace_outfit", N_("Lara's Outfit from Level"), (*IMPORT_SUFFIXES, ".blend")),
    ("tomb_raider.read_gameflow", N_("Level's Entry in Game Flow"), (".json5",)),
    ("tomb_raider.import_motion", N_("Motion"), (".bvh", ".fbx", ".glb", ".gltf")),
    ("import_scene.tomb_raider_injection", N_("Injection of TRX"), (".bin",)),
)
# Operators that read a level's file and write another one.
REPAIRS: tuple[FileEntry, ...] = (("tomb_raider.repair_level", N_("Repair Level"), ALL_SUFFIXES),)
EXPORTS: tuple[FileEntry, ...] = (
    ("export_scene.tomb_raider", N_("Level"), IMPORT_SUFFIXES),
    ("export_scene.tomb_raider_project", N_("Tomb Editor Project"), (".prj2",)),
    ("export_scene.tomb_raider_compiled", N_("Compiled Tomb Editor Project"), IMPORT_SUFFIXES),
    ("export_anim.tomb_raider", N_("Animation"), (".anim",)),
    ("tomb_raider.export_script", N_("Script"), (".dat",)),
    ("export_scene.tomb_raider_sounds", N_("Sounds"), (".sfx", ".wad", ".db")),
    ("export_scene.tomb_raider_cutscenes", N_("Cutscenes"), (".pak", ".bin")),
    ("export_image.tomb_raider_picture", N_("Picture"), (".pak",)),
    ("export_scene.tomb_raider_patch", N_("Patch"), (".trpatch",)),
    ("export_scene.tomb_raider_injection", N_("Injection of TRX"), (".bin",)),
)


# Exports to formats of other programs.
EXCHANGE: tuple[FileEntry, ...] = (
    ("tomb_raider.export_exchange", N_("Selection to Other Programs"), (".glb", ".gltf", ".fbx", ".obj")),
)
# Exports into an existing file.
PARTS: tuple[FileEntry, ...] = (
    ("tomb_raider.put_model", N_("Model into WAD"), OBJECT_SUFFIXES),
    ("tomb_raider.write_gameflow", N_("Level's Entry into Game Flow"), (".json5",)),
    ("tomb_raider.put_animation", N_("Animation into WAD"), OBJECT_SUFFIXES),
)


def _draw(layout: UILayout, entries: Iterable[FileEntry]) -> None:
    for operator, label, suffixes in entries:
        layout.operator(operator, text=f"{translate(label)} ({'/'.join(suffixes)})", translate=False)


class TOPBAR_MT_tomb_raider_import(Menu):
    """Menu of all imports."""

    bl_label = "Tomb Raider"

    def draw(self, _context: Context | None) -> None:
        _draw(self.layout, IMPORTS)
        self.layout.separator()
        _draw(self.layout, PIECES)
        self.layout.separator()
        _draw(self.layout, REPAIRS)


class TOPBAR_MT_tomb_raider_export(Menu):
    """Menu of all exports."""

    bl_label = "Tomb Raider"

    def draw(self, _context: Context | None) -> None:
        _draw(self.layout, EXPORTS)
        self.layout.separator()
        _draw(self.layout, PARTS)
        self.layout.separator()
        _draw(self.layout, EXCHANGE)
        self.layout.separator()
        self.layout.operator("tomb_raider.play_level", icon="PLAY")
        self.layout.operator("tomb_raider.play_from_here", icon="PIVOT_CURSOR")


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

register, unregister = with_entries((TOPBAR_MT_tomb_raider_import, TOPBAR_MT_tomb_raider_export), _ENTRIES)
