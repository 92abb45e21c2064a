"""Tests of the tab in the sidebar: the order of its panels, and what they show of each selected object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.subjects import SUBJECTS
from io_tomb_raider.ui.base.fitting import panel_width
from io_tomb_raider.ui.base.sidebar import TAB
from io_tomb_raider.ui.level.visibility import PARTS
from tests.games import each_game
from tests.scene.scenes import objects

from .everything import PANELS
from .recorder import Layout, draw
from .user_actions import add_cube, import_sample, select

_ANYWAY = ("collection", "_known")  # settings of buttons that make no difference
_ON_TOP = ("level", "level_tools", "check", "visibility", "overlays")


def tab_panels() -> list[Any]:
    """Return the registered panels of the tab, in the order in which Blender draws them.

    Blender sorts panels by their order, then by their registration.
    """
    every = [each for each in _below(bpy.types.Panel) if "io_tomb_raider" in each.__module__]
    panels = [each for each in every if getattr(each, "bl_category", "") == TAB and each.is_registered]
    places = {panel: place for place, panel in enumerate(PANELS)}
    in_view = [each for each in panels if each.bl_space_type == "VIEW_3D"]
    return sorted(in_view, key=lambda each: (getattr(each, "bl_order", 0), places.get(each, -1)))


def _below(kind: Any) -> Iterator[Any]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def drawn(**context: Any) -> dict[str, Layout]:
    """Return what each panel of the tab draws, by the name of the panel."""
    found = {}
    for panel in tab_panels():
        mode = bpy.context.mode
        if getattr(panel, "bl_context", "") == "objectmode" and mode != "OBJECT":
            continue
        layout = draw(panel, object=bpy.context.object, **context)
        if layout is not None:
            found[panel.__name__.partition("_PT_tomb_raider_")[2]] = layout
    return found


def every_selection(root: Collection) -> Iterator[tuple[str, dict[str, Layout]]]:
    """Yield the tab for an object of each kind, also in edit and pose mode."""
    for part, *_ in PARTS:
        layout = draw(bpy.types.VIEW3D_PT_tomb_raider_visibility)
        assert layout is not None
        buttons = zip(layout.operators, layout.pressed, strict=True)
        if any(getattr(each, "kind", "") == part and not on for (_, each), on in buttons):
            bpy.ops.tomb_raider.toggle_library(kind=part)
    for kind in (kind.identifier for subject in SUBJECTS for kind in subject.objects):
        for obj in objects(root, kind)[:1]:
            select(obj)
            yield kind, drawn()
            mode: Any = {"MESH": "EDIT", "ARMATURE": "POSE"}.get(obj.type)
            if mode is not None and obj.visible_get():
                bpy.ops.object.mode_set(mode=mode)
                yield f"{kind} in {mode}", drawn()
                bpy.ops.object.mode_set(mode="OBJECT")
    cube: Any = add_cube()
    for home in cube.users_collection:
        home.objects.unlink(cube)
    root.objects.link(cube)
    select(cube)
    yield "mesh of the user", drawn()


def test_the_panels_of_the_level_stand_on_top_and_never_move(blender: ModuleType, tmp_path: Path) -> None:
    """If this fails for a new panel: its `bl_order` has to be that of the selection or of tools."""
    root = import_sample(tmp_path, "tr4")
    select()
    bpy.context.view_layer.objects.active = None
    bpy.ops.tomb_raider.check_level()
    empty = {name: drawn()[name].texts for name in _ON_TOP}
    for selection, found in every_selection(root):
        assert tuple(found)[: len(_ON_TOP)] == _ON_TOP, selection
        assert {name: found[name].texts for name in _ON_TOP} == empty, selection


def test_no_button_is_twice_on_the_tab(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    bpy.ops.tomb_raider.check_level()
    twice = {}
    for selection, found in every_selection(root):
        buttons = [
            (name, *sorted((key, str(value)) for key, value in vars(settings).items() if key not in _ANYWAY))
            for layout in found.values()
            for name, settings in layout.operators
        ]
        more = [button for button, count in Counter(buttons).items() if count > 1]
        if more:
            twice[selection] = more
    assert twice == {}


@each_game
def test_no_text_is_cut_off_at_the_default_width(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    """Texts that name objects can be of any length; those of the sample are as long as in the games."""
    root = import_sample(tmp_path, game)
    bpy.ops.tomb_raider.check_level()
    cut = {
        (panel, " | ".join(text for text, _ in line), round(sum(pixels for _, pixels in line)))
        for _, found in every_selection(root)
        for panel, layout in found.items()
        for line in layout.lines
        if sum(pixels for _, pixels in line) > panel_width()
    }
    assert cut == set()


def test_every_list_has_a_heading(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    objects(root, "PORTAL")[0].data.flip_normals()
    bpy.ops.tomb_raider.check_level()
    headings: dict[str, set[str]] = {}
    for _, found in every_selection(root):
        for layout in found.values():
            for name, heading in layout.headings.items():
                headings.setdefault(name, set()).add(heading)
    assert headings.pop("actions") == {"Actions", ""}  # of triggers; below the title Animations
    assert headings.pop("limbs") == {""}  # below the title Limbs
    assert headings.pop("rows") == {"Bones"}  # of retargeting
    assert headings.pop("groups") == {"Animated Textures"}
    assert len(headings.pop("findings")) == 1 and not headings
