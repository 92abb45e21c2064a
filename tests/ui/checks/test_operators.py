"""Tests of Check Level and its list of findings."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import bmesh
import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats.base.messages import T, about
from io_tomb_raider.scene.pipeline.checks.notes import kinds_of
from io_tomb_raider.scene.properties.findings import entry_of, make_active
from io_tomb_raider.ui.base import progress
from io_tomb_raider.ui.base.reports import grouped
from io_tomb_raider.ui.base.text import i18n
from io_tomb_raider.ui.checks.counts import with_count
from io_tomb_raider.ui.checks.panels import (
    TOMB_RAIDER_UL_export_findings,
    TOMB_RAIDER_UL_findings,
    VIEW3D_PT_tomb_raider_check,
    draw_finding,
)
from io_tomb_raider.ui.translations.dictionary import Dictionary
from tests.data_blocks import changed, data_blocks
from tests.empty_scene import start_empty
from tests.scene.scenes import objects

from ..recorder import Layout, draw
from ..user_actions import export_file, import_sample, levels, select


def lines(root: Collection) -> list[tuple[str, str]]:
    """Return severity and subject of findings but notes, such as that on the sample's turned static mesh."""
    findings = root.tomb_raider.findings
    return [(each.severity, each.subject) for each in findings if each.severity != "INFO"]


def test_findings_are_listed_shown_and_fixed_and_fixes_undone(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    portal = objects(root, "PORTAL")[1]
    name = portal.name
    portal.data.flip_normals()
    bpy.ops.ed.undo_push(message="flip")
    assert bpy.ops.tomb_raider.check_level() == {"FINISHED"}
    assert lines(root) == [("WARNING", name)] and root.tomb_raider.findings_of == "Check"
    # Portals are hidden until one is shown.
    assert portal.name not in bpy.context.view_layer.objects
    assert bpy.ops.tomb_raider.show_finding(number=0) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == portal and bpy.context.selected_objects == [portal]
    assert (bpy.context.scene.cursor.location - portal.matrix_world.translation).length < 0.01
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.tomb_raider.fix_finding(number=0) == {"FINISHED"}
    assert lines(root) == []
    bpy.ops.ed.undo_push(message="mended")
    bpy.ops.ed.undo()
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert lines(root) == [("WARNING", name)]
    bpy.ops.ed.redo()
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert lines(root) == []
    assert bpy.ops.tomb_raider.check_level() == {"FINISHED"} and lines(root) == []
    for operator in (bpy.ops.tomb_raider.show_finding, bpy.ops.tomb_raider.fix_finding):
        with pytest.raises(RuntimeError, match="no line 1"):
            operator(number=1)


def test_warnings_and_errors_of_an_export_become_findings(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    entity, room = objects(root, "ENTITY")[1], objects(root, "ROOM")[0]
    entity.scale = (2, 2, 2)
    out = str(tmp_path / "out.phd")
    assert bpy.ops.export_scene.tomb_raider(filepath=out) == {"FINISHED"}
    assert lines(root) == [("WARNING", entity.name)]
    assert root.tomb_raider.findings_of == "Export of out.phd"
    room.data.vertices[0].co.x += 1000
    with pytest.raises(RuntimeError, match="32767"):
        bpy.ops.export_scene.tomb_raider(filepath=out)
    assert lines(root)[0] == ("ERROR", room.name)
    assert root.tomb_raider.findings_of == "Export of out.phd, which failed"
    assert bpy.ops.tomb_raider.show_finding(number=0) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == room
    with pytest.raises(RuntimeError, match="choose a remedy"):
        bpy.ops.tomb_raider.fix_finding(number=0)
    assert bpy.ops.tomb_raider.clear_findings() == {"FINISHED"} and lines(root) == []


def shown_headings() -> list[str]:
    """Return the headings of the lists of findings in the panel."""
    layout = draw(VIEW3D_PT_tomb_raider_check)
    assert layout is not None
    counts = re.compile(r": (no findings|\d+ (error|warning|note)s?\b.*)$")
    return [text for text in layout.labels if counts.search(text)]


def test_exports_leave_the_findings_of_the_check_and_add_theirs_below(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = import_sample(tmp_path)
    portal, entity = objects(root, "PORTAL")[0], objects(root, "ENTITY")[1]
    portal.data.flip_normals()
    bpy.ops.tomb_raider.check_level()
    headings = ["Check: 1 warning, 1 note"]
    assert lines(root) == [("WARNING", portal.name)] and shown_headings() == headings
    export_file(tmp_path / "out.phd")
    assert lines(root) == [("WARNING", portal.name)]
    assert shown_headings() == [*headings, "Export of out.phd: no findings"]
    entity.scale = (2, 2, 2)
    for name in ("a.phd", "b.phd"):  # each export replaces the findings of the one before
        export_file(tmp_path / name)
        assert lines(root) == [("WARNING", portal.name), ("WARNING", entity.name)]
    assert shown_headings() == [*headings, "Export of b.phd: 1 warning"]
    rows = [
        sum(kind.filter_items(drawer(kind), bpy.context, entry_of(root), "findings")[0])
        for kind in (TOMB_RAIDER_UL_findings, TOMB_RAIDER_UL_export_findings)
    ]
    assert rows == [2, 1]
    number = next(place for place, each in enumerate(root.tomb_raider.findings) if each.fix == "flip_portal")
    assert bpy.ops.tomb_raider.fix_finding(number=number) == {"FINISHED"}
    assert lines(root) == [("WARNING", entity.name)]
    assert bpy.ops.tomb_raider.clear_findings(found_by="EXPORT") == {"FINISHED"} and lines(root) == []
    assert shown_headings() == ["Check: 1 note"]
    export_file(tmp_path / "out.phd")
    entity.scale = (1, 1, 1)
    bpy.ops.tomb_raider.check_level()  # which lists what exports warn of, too
    assert lines(root) == [] and len(shown_headings()) == 1


def drawer(kind: Any) -> Any:
    """Return a list as Blender makes it."""
    return SimpleNamespace(bitflag_filter_item=1, found_by=kind.found_by)


def test_findings_are_no_data_of_the_scene_and_survive_undo(blender: ModuleType, tmp_path: Path) -> None:
    """Undo brings back neither findings of an older state nor removes those of the last check."""
    root = import_sample(tmp_path)
    portal = objects(root, "PORTAL")[0]
    name = portal.name
    bpy.ops.ed.undo_push(message="imported")
    before = data_blocks()
    bpy.ops.tomb_raider.check_level()
    assert {line.split()[0] for line in changed(before, data_blocks())} <= {"WindowManager"}
    portal.data.flip_normals()
    bpy.ops.ed.undo_push(message="flipped")
    bpy.ops.tomb_raider.check_level()
    bpy.ops.ed.undo()
    (root,) = levels()
    assert lines(root) == [("WARNING", name)]
    root.name = "Renamed"
    assert lines(root) == [("WARNING", name)]
    bpy.ops.tomb_raider.check_level()
    assert lines(root) == []


def test_findings_of_a_linked_level_are_listed(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    name = objects(root, "PORTAL")[0].name
    bpy.data.objects[name].data.flip_normals()
    level, library = root.name, str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library, compress=False)
    start_empty()
    libraries: Any = bpy.data.libraries
    with libraries.load(library, link=True) as (_, wanted):
        wanted.collections = [level]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    assert bpy.ops.tomb_raider.check_level() == {"FINISHED"}
    assert ("WARNING", name) in lines(wanted.collections[0])
    with pytest.raises(RuntimeError, match="it is linked"):
        bpy.ops.tomb_raider.fix_finding(number=0)


def test_a_check_without_a_level_is_refused(blender: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="there is no level"):
        bpy.ops.tomb_raider.check_level()


def test_the_panel_shows_the_list_and_its_buttons(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    layout = draw(VIEW3D_PT_tomb_raider_check)
    buttons = {"tomb_raider.check_level", "tomb_raider.repair_level"}
    assert layout is not None and {name for name, _ in layout.operators} == buttons
    objects(root, "PORTAL")[0].data.flip_normals()
    bpy.ops.tomb_raider.check_level()
    layout = draw(VIEW3D_PT_tomb_raider_check)
    assert layout is not None and layout.lists == ["findings"]
    # The title has the number of findings by severity.
    assert layout.labels[:3] == ["1", "1", "Check: 1 warning, 1 note"]
    assert "flip it" in " ".join(layout.labels)
    assert [icon for icon in layout.icons if icon in ("CANCEL", "ERROR", "INFO")] == ["ERROR", "INFO"]
    assert all(len(label) <= 60 for label in layout.labels)
    row: Any = Layout()
    names = ("tomb_raider.show_finding", "tomb_raider.fix_finding")
    # A line is one button, which makes it active; what is active can be fixed below its whole text.
    whole = [(name, button.number) for name, button in layout.operators if name in names]
    assert whole == [(names[1], 0)]
    draw_finding(row, root, root.tomb_raider.findings[0])
    shown = [(name, button.number, button.collection) for name, button in row.operators]
    assert shown == [(names[0], 0, root.name)]


def test_stored_findings_are_shown_in_the_language_of_the_user(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scripts read the English text, which is also all that files of older versions have."""
    root = import_sample(tmp_path)
    portal = objects(root, "PORTAL")[0]
    portal.data.flip_normals()
    bpy.ops.tomb_raider.check_level()
    item = root.tomb_raider.findings[0]
    assert "faces away from its own room" in item.text and item.subject == portal.name
    monkeypatch.setattr(i18n._current, "dictionary", Dictionary(i18n.texts_of("de")))

    def shown() -> str:
        layout = draw(VIEW3D_PT_tomb_raider_check)
        assert layout is not None
        return " ".join(layout.labels)

    target = item.text.split(" to ")[1].split(" faces")[0]
    assert "1 Warnung, 1 Hinweis" in shown() and f"Portal zu {target}" in shown()
    with pytest.raises(RuntimeError, match="selbst eine Abhilfe"):
        item.fix = ""
        bpy.ops.tomb_raider.fix_finding(number=0)
    entry_of(root).checked = "Check"  # as English only
    item.message = ""
    assert "faces away" in shown()
    item.message = '{"template": "{count} faces", "values": {'
    assert item.message[:12] in shown()


def test_a_finding_with_two_fixes_has_both_below_the_list(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    bpy.ops.tomb_raider.check_level(all_rooms=True)
    findings = root.tomb_raider.findings
    number = next(place for place, each in enumerate(findings) if "mesh and sectors" in each.text)
    make_active(root, findings[number])
    layout = draw(VIEW3D_PT_tomb_raider_check)
    assert layout is not None
    fixes = [button.fix for name, button in layout.operators if name == "tomb_raider.fix_finding"]
    assert fixes == ["sectors_from_mesh", "mesh_from_sectors"]
    row: Any = Layout()
    draw_finding(row, root, findings[number])
    assert [name for name, _ in row.operators] == ["tomb_raider.show_finding"]  # no place for two


def test_findings_of_one_kind_are_one_row_with_buttons_for_all(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    portals = objects(root, "PORTAL")[:3]
    for portal in portals:
        portal.data.flip_normals()
    bpy.ops.tomb_raider.check_level()
    findings = root.tomb_raider.findings
    kind = next(kind for kind in kinds_of(findings) if len(kind) == 3)
    assert {findings[number].subject for number in kind} == {portal.name for portal in portals}
    flags, _ = TOMB_RAIDER_UL_findings.filter_items(
        cast(Any, SimpleNamespace(bitflag_filter_item=1, found_by="CHECK")),
        bpy.context,
        entry_of(root),
        "findings",
    )
    assert [at for at in kind if flags[at]] == kind[:1]
    row: Any = Layout()
    draw_finding(row, root, findings[kind[0]])
    first = findings[kind[0]].subject
    assert with_count(first, 3) == f"{first} and 2 more" and with_count(first, 1) == first
    assert any(text.startswith(first[:8]) for text in row.texts)
    make_active(root, findings[kind[0]])
    layout = draw(VIEW3D_PT_tomb_raider_check)
    assert layout is not None
    shown = [button for name, button in layout.operators if name == "tomb_raider.show_finding"]
    assert [(button.number, getattr(button, "every", False)) for button in shown] == [
        (kind[0], True),
        *((number, False) for number in kind),
    ]
    bpy.ops.tomb_raider.show_finding(number=kind[0], every=True)
    assert set(bpy.context.selected_objects) == set(portals)
    bpy.ops.tomb_raider.show_finding(number=kind[1])
    assert [obj.name for obj in bpy.context.selected_objects] == [findings[kind[1]].subject]
    bpy.ops.tomb_raider.fix_finding(number=kind[0], every=True)
    assert lines(root) == []


def test_reports_have_one_line_for_each_kind_of_warning() -> None:
    few = T("{count} faces have no material", count=3)
    many = T("{count} faces have no material", count=500)
    other = T("it is {what}", what=T("scaled"))
    turned = T("it is {what}", what=T("turned"))
    warnings = [about("Wolf", few), about("Bear", many), about("Lara", other), about("Doppelganger", turned)]
    assert grouped(warnings) == [
        "Wolf and 1 more: 3 faces have no material",
        "Lara: it is scaled",
        "Doppelganger: it is turned",
    ]
    of_file = [about("LEVEL1.PHD", text) for text in warnings]
    assert grouped(of_file)[:2] == [
        "LEVEL1.PHD: Wolf and 1 more: 3 faces have no material",
        "LEVEL1.PHD: Lara: it is scaled",
    ]
    assert grouped([few, many]) == ["3 faces have no material (and 1 more)"]
    assert grouped(["plain", "plain too"]) == ["plain", "plain too"]


def test_long_operations_show_a_progress_bar_until_they_end(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Manager:
        def __init__(self) -> None:
            self.shown: list[Any] = []

        def progress_begin(self, low: float, high: float) -> None:
            self.shown.append("begin")

        def progress_update(self, value: float) -> None:
            assert 0 <= value <= 100
            self.shown.append(value)

        def progress_end(self) -> None:
            self.shown.append("end")

        def status_text_set(self, text: str | None) -> None:
            self.shown.append(text)

    manager = Manager()
    context: Any = type("Context", (), {"window_manager": manager, "workspace": manager})
    with progress.ProgressBar(context, "Quick") as bar:
        bar("Rooms", 0.5)
    assert manager.shown == []
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    # File names may be invalid text, which Blender does not accept.
    with pytest.raises(ValueError), progress.ProgressBar(context, "Slow \udcff", 2) as bar:
        bar("Rooms", 0.5)
        bar.next_part()
        bar("Models", 0.5)
        raise ValueError
    assert manager.shown == ["begin", 25.0, "Slow ?: Rooms", 75.0, "Slow ?: Models", "end", None]
    steps: list[tuple[str, float]] = []
    monkeypatch.setattr(progress.ProgressBar, "__call__", lambda _self, *step: steps.append(step))
    root = import_sample(tmp_path, "tr4")
    imported = len(steps)
    assert bpy.ops.tomb_raider.check_level(collection=root.name) == {"FINISHED"}
    shares = [share for _, share in steps]
    assert shares[:imported] == sorted(shares[:imported]) and shares[imported:] == sorted(shares[imported:])
    assert 10 < imported < len(steps) and "Collision" in dict(steps) and "Checks" in dict(steps)
    for obj, operator in (
        (objects(root, "BOXES")[0], bpy.ops.tomb_raider.refresh_boxes),
        (objects(root, "ROOM")[0], bpy.ops.tomb_raider.refresh_from_mesh),
    ):
        select(obj)
        steps.clear()
        assert operator() == {"FINISHED"} and steps


def test_seams_are_found_on_demand_and_mended(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    room = objects(root, "ROOM")[1]
    mesh: Any = room.data
    bm = bmesh.new()
    bm.from_mesh(mesh)
    bm.faces.ensure_lookup_table()
    face = next(
        each for each in bm.faces if len(each.verts) == 4 and all(len(e.link_faces) == 2 for e in each.edges)
    )
    bmesh.ops.split(bm, geom=[face])
    bm.to_mesh(mesh)
    bm.free()
    assert bpy.ops.tomb_raider.check_level(seams=True) == {"FINISHED"}
    assert not [each for each in root.tomb_raider.findings if each.fix == "weld_gap"]
    corner = mesh.vertices[len(mesh.vertices) - 1]
    corner.co.z += 20 * root.tomb_raider.scale
    assert bpy.ops.tomb_raider.check_level() == {"FINISHED"}
    assert not [each for each in root.tomb_raider.findings if each.fix == "weld_gap"]
    assert bpy.ops.tomb_raider.check_level(seams=True) == {"FINISHED"}
    (number,) = (n for n, each in enumerate(root.tomb_raider.findings) if each.fix == "weld_gap")
    item = root.tomb_raider.findings[number]
    assert item.severity == "INFO" and item.subject == room.name and "20 units apart" in item.text
    assert bpy.ops.tomb_raider.fix_finding(number=number) == {"FINISHED"}
    assert bpy.ops.tomb_raider.check_level(seams=True) == {"FINISHED"}
    assert not [each for each in root.tomb_raider.findings if each.fix == "weld_gap"]


def test_a_turned_texture_is_turned_as_its_neighbors(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    room = objects(root, "ROOM")[0]
    mesh: Any = room.data
    one_tile(mesh)
    assert bpy.ops.tomb_raider.check_level(seams=True) == {"FINISHED"}
    assert not [each for each in root.tomb_raider.findings if each.fix == "align_texture"]
    layer = mesh.uv_layers[0]
    before = [each.vector.copy() for each in layer.uv]
    loops = list(mesh.polygons[4].loop_indices)
    for quarters in (1, 2, 3):
        for place, loop in enumerate(loops):
            layer.uv[loop].vector = before[loops[(place + quarters) % 4]]
        assert bpy.ops.tomb_raider.check_level(seams=True) == {"FINISHED"}
        (number,) = (n for n, each in enumerate(root.tomb_raider.findings) if each.fix == "align_texture")
        assert bpy.ops.tomb_raider.fix_finding(number=number) == {"FINISHED"}
        assert all((each.vector - old).length < 1e-4 for each, old in zip(layer.uv, before, strict=True))


def one_tile(mesh: Any) -> None:
    """Replace a room's mesh by 3 x 3 squares in a plane that show the same tile of its first material."""
    side = 2.0
    points = [(x * side, y * side, 0.0) for y in range(4) for x in range(4)]
    quads = [(n, n + 1, n + 5, n + 4) for n in (0, 1, 2, 4, 5, 6, 8, 9, 10)]
    mesh.clear_geometry()
    mesh.from_pydata(points, [], quads)
    layer = mesh.uv_layers[0] if mesh.uv_layers else mesh.uv_layers.new()
    for polygon in mesh.polygons:
        polygon.material_index = 0
        for loop, uv in zip(polygon.loop_indices, ((0, 0.75), (0.25, 0.75), (0.25, 1), (0, 1)), strict=True):
            layer.uv[loop].vector = uv
    mesh.update()


def test_fixes_are_tools_for_selected_objects(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    entities = objects(root, "ENTITY")[1:3]
    before = [obj.location.copy() for obj in entities]
    for obj in entities:
        obj.location.z += 0.5
        obj.scale = (2, 2, 2)
    select(*entities)
    assert bpy.ops.tomb_raider.fix_selected(fix="put_down") == {"FINISHED"}
    assert all((obj.location - old).length < 1e-3 for obj, old in zip(entities, before, strict=True))
    assert bpy.ops.tomb_raider.fix_selected(fix="as_in_game") == {"FINISHED"}
    assert all(tuple(obj.scale) == pytest.approx((1, 1, 1)) for obj in entities)
    with pytest.raises(RuntimeError, match="None of the selected objects"):
        bpy.ops.tomb_raider.fix_selected(fix="flip_portal")
    entities[0].location.z += 1000.0
    select(entities[0])
    with pytest.raises(RuntimeError, match="in no room"):
        bpy.ops.tomb_raider.fix_selected(fix="put_down")
    portal = objects(root, "PORTAL")[0]
    select(portal)
    normal = portal.data.polygons[0].normal.copy()
    assert bpy.ops.tomb_raider.fix_selected(fix="flip_portal") == {"FINISHED"}
    assert (portal.data.polygons[0].normal + normal).length < 1e-3
