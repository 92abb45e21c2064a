"""Tests that the extension registers everything while it is enabled, and removes it afterwards."""

from __future__ import annotations

import inspect
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

import build
from tests.installed_extension import registrations

from .recorder import Layout
from .user_actions import export_file, import_file, import_sample, sample_file

# Modules that Blender itself loads, the last one for the keys of its own tools.
_BLENDERS = "import sys, bpy, numpy, bl_keymap_utils.io; before = set(sys.modules)"
# Kinds of objects that each preset imports from a level that has all of them.
PRESETS = {
    "Everything": {"ROOM", "MODEL", "STATIC_MESH", "ENTITY", "LIGHT", "COLLISION", "TRIGGER"},
    "To_Look_At": {"ROOM", "MODEL", "STATIC_MESH", "ENTITY", "LIGHT"},
    "Models_Only": {"MODEL"},
    "Geometry_Only": {"ROOM", "STATIC_MESH"},
}


def our_operators() -> list[Any]:
    """Return the RNA types of all operators of the extension."""
    groups = ("tomb_raider", "import_scene", "export_scene", "import_image", "export_image")
    operators = [
        getattr(getattr(bpy.ops, group), name) for group in groups for name in dir(getattr(bpy.ops, group))
    ]
    types = [operator.get_rna_type() for operator in operators]
    return [each for each in types if "TOMB_RAIDER" in each.identifier.upper()]


def test_tooltips_of_operators_are_in_the_imperative(blender: ModuleType) -> None:
    operators = our_operators()
    assert len(operators) > 50
    for operator in operators:
        text = operator.description
        assert text[:1].isupper() and not text.endswith("."), operator.identifier
        assert text.split()[0] not in ("Let", "Say", "A", "An", "The", "To"), operator.identifier


def test_all_properties_have_a_tooltip(blender: ModuleType) -> None:
    groups = [
        each for each in bpy.types.PropertyGroup.__subclasses__() if "io_tomb_raider" in each.__module__
    ]
    assert len(groups) > 40
    own = {each: set(each.bl_rna.properties.keys()) & set(each.__annotations__) for each in groups}
    fields = [(each.__name__, each.bl_rna.properties[name]) for each in groups for name in own[each]]
    for operator in our_operators():
        fields += [
            (operator.identifier, each) for each in operator.properties if each.identifier != "rna_type"
        ]
    for owner, field in fields:
        is_group = field.type == "POINTER" and issubclass(type(field.fixed_type), bpy.types.PropertyGroup)
        if not field.is_hidden and not is_group:
            assert field.description, f"{owner}.{field.identifier}"


def below(kind: type[Any]) -> Iterator[type[Any]]:
    """Yield all subclasses, recursively."""
    for each in kind.__subclasses__():
        yield each
        yield from below(each)


def test_starting_loads_nothing_that_converts(tmp_path: Path) -> None:
    """Imports and exports share a context; reading or writing a file needs the level.

    The process must also exit cleanly: Blender 4.2 as a module crashes at exit if a declared property is
    still referenced.
    """
    new = "set(sys.modules) - before"
    code = f"{_BLENDERS}; import io_tomb_raider as us; us.register(); print(*{new}); us.unregister()"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path)}
    answer = subprocess.run(
        command, cwd=build.ROOT, capture_output=True, text=True, check=True, env=environment
    )
    names = answer.stdout.splitlines()[-1].split()  # Blender may print lines of its own before
    ours = [name for name in names if name.startswith("io_tomb_raider")]
    # Standard library modules take milliseconds, too, unless they are built in. unicodedata is loaded by some
    # compilers.
    assert ours and set(names) - {"unicodedata", *sys.builtin_module_names} == set(ours)
    loaded = {name.removeprefix("io_tomb_raider.") for name in ours}
    assert {"ui.handlers", "scene.properties.rooms", "formats.base.games"} <= loaded
    assert loaded.isdisjoint(
        {
            "scene.core.context",
            "scene.pipeline.importer",
            "formats.levels.level.level",
            "formats.levels.floor.functions",
            "catalogue.names",
            "ui.view.first_view",
        }
    )
    # Packages are ignored, since they contain only docstrings.
    above = ("ui", "scene.properties")
    packages = {name.rpartition(".")[0] for name in loaded}
    others = [name for name in loaded - packages if not name.startswith(above)]
    assert len(others) < 35, others


def test_no_class_has_annotations_that_are_compiled_when_it_is_registered(blender: ModuleType) -> None:
    """Blender evaluates them all; each annotation in text form takes a tenth of a millisecond at start-up."""
    kinds = (bpy.types.Operator, bpy.types.Panel, bpy.types.PropertyGroup, bpy.types.AddonPreferences)
    ours = [each for kind in kinds for each in below(kind) if "io_tomb_raider" in each.__module__]
    texts = {
        f"{home.__module__}.{home.__name__}.{name}"
        for each in ours
        for home in each.__mro__
        for name, annotation in inspect.get_annotations(home).items()
        if isinstance(annotation, str)
    }
    assert len(ours) > 200 and texts == set()


def test_disabling_leaves_nothing_and_enabling_again_works(
    blender: ModuleType, extension: Any, tmp_path: Path
) -> None:
    with_it = registrations()
    for _ in range(2):
        extension.unregister()
        without = registrations()
        assert not [each for each in without if "tomb_raider" in each]
        extension.register()
        assert registrations() == with_it
    path = sample_file(tmp_path)
    import_file(path)
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_levels_of_disabled_extensions_are_whole_again_once_it_is_enabled(
    blender: ModuleType, extension: Any, tmp_path: Path
) -> None:
    path = sample_file(tmp_path, "tr5")
    root = import_file(path)
    extension.unregister()
    extension.register()
    assert root.tomb_raider.kind == "LEVEL"
    assert export_file(tmp_path / "out") == path.read_bytes()


@pytest.mark.parametrize("way", ["import", "export"])
def test_the_file_menus_have_one_entry_with_all_types_of_files(blender: ModuleType, way: str) -> None:
    menu = getattr(bpy.types, f"TOPBAR_MT_file_{way}")
    layout: Any = Layout()
    menus: list[str] = []
    layout.menu = lambda name, **_: menus.append(name)
    for entry in menu.draw._draw_funcs:
        if entry.__module__.startswith("io_tomb_raider"):
            entry(SimpleNamespace(layout=layout), bpy.context)
    assert menus == [f"TOPBAR_MT_tomb_raider_{way}"]
    submenu = getattr(bpy.types, menus[0])
    assert submenu.bl_label == "Tomb Raider"
    texts: list[tuple[str, str]] = []

    def operator(name: str, *, text: str = "", **_: Any) -> SimpleNamespace:
        texts.append((name, text))
        return SimpleNamespace()

    layout.operator = operator
    submenu.draw(SimpleNamespace(layout=layout), bpy.context)
    label = "Level (.phd/.tub/.tr2/.tr4/.trc)" if way == "import" else "Level"
    assert texts[0] == (f"{way}_scene.tomb_raider", label)
    # Few entries, with a menu of all others.
    assert menus[1:] == [f"TOPBAR_MT_tomb_raider_{way}_other"] and len(texts) <= (5 if way == "import" else 6)
    getattr(bpy.types, menus[1]).draw(SimpleNamespace(layout=layout), bpy.context)
    for name, _text in texts:
        group, own_name = name.split(".")
        assert own_name in dir(getattr(bpy.ops, group))
    # Operators that import or export whole files are in these groups.
    groups = [f"{way}_scene", f"{way}_image", f"{way}_anim"]
    known = {f"{g}.{n}" for g in groups for n in dir(getattr(bpy.ops, g)) if n.startswith("tomb_raider")}
    parts = {"tomb_raider.play_level", "tomb_raider.append", "tomb_raider.replace_outfit"}
    parts |= {"tomb_raider.put_model", "tomb_raider.put_animation", "tomb_raider.export_exchange"}
    parts.add("tomb_raider.export_for_wadtool")
    parts |= {f"tomb_raider.{verb}_gameflow" for verb in ("read", "write", "update")}
    parts |= {"tomb_raider.import_motion", "tomb_raider.repair_level", "tomb_raider.play_from_here"}
    assert {name for name, _ in texts} - parts == known | {f"tomb_raider.{way}_script"}


def test_the_export_menu_names_the_file_that_the_level_becomes(blender: ModuleType, tmp_path: Path) -> None:
    from io_tomb_raider.ui.menus import TOPBAR_MT_tomb_raider_export

    import_sample(tmp_path, "tr5")
    layout = Layout()
    TOPBAR_MT_tomb_raider_export.draw(SimpleNamespace(layout=layout), bpy.context)  # type: ignore[arg-type]
    assert any("Level (.trc)" in text for text in layout.texts)


def test_no_module_holds_a_menu_of_blender(blender: ModuleType, extension: Any) -> None:
    """Blender rebuilds its menus when scripts are reloaded; entries in old menus would not be shown."""
    held = {
        (name, key)
        for name, module in sys.modules.items()
        if name.startswith("io_tomb_raider.ui")
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, bpy.types.Menu) and value is not bpy.types.Menu
        if not value.__module__.startswith("io_tomb_raider")
    }
    assert held == set()


@pytest.mark.parametrize("name", ["TOPBAR_MT_file_import", "VIEW3D_MT_object", "VIEW3D_MT_add"])
def test_entries_are_added_to_replaced_menus(
    blender: ModuleType, extension: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """*Reload Scripts* replaces menus by others of the same names."""
    extension.unregister()
    old = getattr(bpy.types, name)
    new = type(name, (bpy.types.Menu,), {"bl_label": old.bl_label, "draw": lambda self, context: None})
    bpy.utils.unregister_class(old)
    bpy.utils.register_class(new)
    try:
        extension.register()
        entries = [entry.__module__ for entry in new.draw._draw_funcs]
        assert any(each.startswith("io_tomb_raider") for each in entries)
    finally:
        extension.unregister()
        assert not any(entry.__module__.startswith("io_tomb_raider") for entry in new.draw._draw_funcs)
        bpy.utils.unregister_class(new)
        bpy.utils.register_class(old)
        extension.register()


_SUFFIXES = (
    ".phd;.tub;.tr2;.tr4;.trc;.wad;.wad2;.prj2;.prj;.trpatch;.anim;.trw;.sfx;.db;.sam;.dat;.lng;.bin;.pak"
)


def _is_offered(handler: Any, kind: str, display: str = "VIEW_LAYER") -> bool:
    space = SimpleNamespace(active=SimpleNamespace(display_mode=display))
    return bool(handler.poll_drop(SimpleNamespace(area=SimpleNamespace(type=kind, spaces=space))))


def test_every_type_of_file_can_be_dropped(blender: ModuleType) -> None:
    """One handler takes all, since Blender would ask for the kind of a .wad or .pak; its content tells it."""
    from io_tomb_raider.ui.base.file_kinds import KINDS
    from io_tomb_raider.ui.menus import IMPORTS

    handler: Any = bpy.types.IO_FH_tomb_raider
    assert handler.bl_file_extensions.split(";")[:7] == _SUFFIXES.split(";")[:7]
    assert sorted(handler.bl_file_extensions.split(";")) == sorted(_SUFFIXES.split(";"))
    for kind in ("VIEW_3D", "OUTLINER", "TEXT_EDITOR", "IMAGE_EDITOR", "PROPERTIES"):
        assert _is_offered(handler, kind) == (kind != "PROPERTIES"), kind
    assert not _is_offered(handler, "OUTLINER", "")
    assert not handler.poll_drop(SimpleNamespace(area=None))
    # What the menu imports can be dropped, too.
    suffixes = {suffix for _, _, suffixes in IMPORTS for suffix in suffixes}
    assert suffixes <= set(handler.bl_file_extensions.split(";"))
    assert {each.opens for each in KINDS} - {""} >= {each[0] for each in IMPORTS[1:4:2]}


def test_file_handlers_name_the_exporters_of_collections(blender: ModuleType) -> None:
    for end in ("", "_cutscenes", "_project"):
        handler: Any = getattr(bpy.types, f"IO_FH_tomb_raider{end}")
        assert handler.bl_export_operator == f"export_scene.tomb_raider{end}"
        assert _is_offered(handler, "VIEW_3D") == (not end)


def test_dropped_files_open_a_dialog(blender: ModuleType, tmp_path: Path) -> None:
    """Blender passes the path, and calls operators as menus do: no file browser may open."""
    from io_tomb_raider.ui.base.file_kinds import KINDS
    from io_tomb_raider.ui.base.files.browsing import FileBrowser

    asked: list[str] = []

    class Manager:
        def invoke_props_dialog(self, operator: Any, **_: Any) -> set[str]:
            asked.append(operator.filepath)
            return {"RUNNING_MODAL"}

        def fileselect_add(self, operator: Any) -> None:
            raise AssertionError("a file browser opened")

    context: Any = SimpleNamespace(window_manager=Manager(), preferences=None)
    names = {bpy.types.IO_FH_tomb_raider.bl_import_operator, *(each.opens for each in KINDS)} - {""}
    for name in names:
        group, operator = name.split(".")
        kind = getattr(bpy.types, f"{group.upper()}_OT_{operator}")
        known = getattr(getattr(bpy.ops, group), operator).get_rna_type().properties.keys()
        given = {each: [] if each in ("files", "entries") else "" for each in known}
        stand_in = SimpleNamespace(**given | {"filepath": str(tmp_path / "dropped"), "bl_label": "Import"})
        stand_in.properties = SimpleNamespace(is_property_set=lambda _name, **_: True)
        stand_in.invoke_popup = lambda context, it=stand_in: FileBrowser.invoke_popup(it, context)
        stand_in.check = lambda context, it=stand_in, kind=kind: kind.check(it, context)
        assert kind.invoke(stand_in, context, None) == {"RUNNING_MODAL"}, name
    assert asked == [str(tmp_path / "dropped")] * len(names) and len(names) > 7


@pytest.mark.parametrize("way", ["import", "export"])
def test_the_file_browser_shows_the_options(blender: ModuleType, way: str) -> None:
    from io_tomb_raider.ui.level import export_level, import_level

    operator = {
        "import": import_level.IMPORT_SCENE_OT_tomb_raider,
        "export": export_level.EXPORT_SCENE_OT_tomb_raider,
    }[way]
    properties: Any = getattr(bpy.ops, f"{way}_scene").tomb_raider.get_rna_type()
    layout = Layout()
    values = {each.identifier: getattr(each, "default", None) for each in properties.properties}
    stand_in: Any = SimpleNamespace(layout=layout, bl_rna=properties, **values)
    operator.draw(stand_in, bpy.context)
    hidden = {each.identifier for each in properties.properties if each.is_hidden}
    internal = {"rna_type", "filepath", "check_existing"}
    assert set(layout.names) == set(properties.properties.keys()) - hidden - internal


def test_the_presets_are_found(blender: ModuleType) -> None:
    folders = bpy.utils.preset_paths("operator/import_scene.tomb_raider")
    found = {path.stem for folder in folders for path in Path(folder).glob("*.py")}
    assert set(PRESETS) == found


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_set_all_import_options(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    (folder,) = bpy.utils.preset_paths("operator/import_scene.tomb_raider")
    chosen = SimpleNamespace()
    fake: Any = SimpleNamespace(context=SimpleNamespace(active_operator=chosen))
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "bpy", fake)
        runpy.run_path(str(Path(folder) / f"{preset}.py"))
    properties = bpy.ops.import_scene.tomb_raider.get_rna_type().properties
    switches = {each.identifier for each in properties if each.type == "BOOLEAN" and not each.is_hidden}
    assert set(vars(chosen)) == switches - {"set_up_scene", "names_from_script", "beside"}
    kinds = {obj.tomb_raider.kind for obj in import_sample(tmp_path, **vars(chosen)).all_objects}
    assert kinds & PRESETS["Everything"] == PRESETS[preset]
    assert any(each.tomb_raider.model for each in bpy.data.actions) == ("MODEL" in PRESETS[preset])
