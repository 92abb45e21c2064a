"""All panels and menus with every kind of thing active, for a level of each game: none of them raises."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects import SUBJECTS
from io_tomb_raider.ui.panels import _CLASSES
from tests.games import each_game

from .recorder import Layout, draw
from .scenes import import_file, sample_file, select, things

PANELS = [panel for panel in _CLASSES if issubclass(panel, bpy.types.Panel)]


def menus() -> list[Any]:
    """Return all menus of the extension."""
    found = [getattr(bpy.types, name) for name in dir(bpy.types) if "_MT_tomb_raider" in name]
    return [*found, *(m for m in vars(bpy.types).values() if "TOMB_RAIDER_MT" in getattr(m, "bl_idname", ""))]


def draw_menu(menu: Any, **context: Any) -> None:
    stand_in = SimpleNamespace(layout=Layout())
    menu.draw(stand_in, SimpleNamespace(**{name: getattr(bpy.context, name) for name in _NAMES}, **context))


_NAMES = ("scene", "view_layer", "mode", "object", "collection", "selected_objects", "window_manager")


def draw_all(thing: Any, collection: Any) -> set[str]:
    """Draw everything for an active object; return the names of panels that appear."""
    mesh = thing.data if thing.type == "MESH" else None
    material = mesh.materials[0] if mesh is not None and len(mesh.materials) else None
    image = next((entry.image for entry in collection.tomb_raider.images), None)
    given = {"object": thing, "mesh": mesh, "material": material, "edit_image": image}
    return {each.__name__ for each in PANELS if draw(each, **given, collection=collection) is not None}


@each_game
def test_every_panel_and_menu_is_drawn_for_everything(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_file(sample_file(tmp_path, game.name.lower()))
    kinds = [kind.identifier for subject in SUBJECTS for kind in subject.objects]
    seen, missing = set(), []
    for kind in kinds:
        found = things(root, kind)
        if not found:
            continue
        select(found[0])
        shown = draw_all(found[0], root)
        # What is active stands in the sidebar, first of all.
        if not any(name.startswith("VIEW3D_PT") and _order(name) == 0 for name in shown):
            missing.append(kind)
        seen |= shown
        for menu in menus():
            draw_menu(menu)
    assert set(missing) <= {"MODEL_MESH", "COLLISION", "CINEMATIC_TARGET", "SKY", "FIGURE"}
    assert {"VIEW3D_PT_tomb_raider_level", "VIEW3D_PT_tomb_raider_visibility"} <= seen
    assert {"VIEW3D_PT_tomb_raider_entity", "OBJECT_PT_tomb_raider_entity"} <= seen
    for mesh in ("ROOM", "MODEL_MESH", "COLLISION"):
        select(things(root, mesh)[0])
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        shown = draw_all(bpy.context.object, root)
        bpy.ops.object.mode_set(mode="OBJECT")
        wanted = "collision" if mesh == "COLLISION" else "faces"
        assert f"VIEW3D_PT_tomb_raider_{wanted}" in shown
        assert "VIEW3D_PT_tomb_raider_room" not in shown


def _order(name: str) -> int:
    return int(getattr(getattr(bpy.types, name), "bl_order", 0))
