"""Tests of the tab in the sidebar: what it shows of selections and modes, and that it fits into a window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.ui.base.layout.sidebar import BRUSH
from io_tomb_raider.ui.base.text.fitting import panel_width
from tests.games import each_game
from tests.scene.scenes import objects

from .recorder import BORDERS, GAP, HEADER, Layout
from .tab import REGION, Drawn, drawn, every_selection, tab_now
from .user_actions import import_sample, in_view, select

_ANYWAY = ("collection", "_known")  # settings of buttons that make no difference
_ON_TOP = ("level", "check")
PAINTING = SimpleNamespace(
    tools=SimpleNamespace(from_space_view3d_mode=lambda *_, **__: SimpleNamespace(idname=BRUSH))
)
# The panels of each selection and mode, below those of the level. Others show nothing more.
_OF_ROOMS = ("room", "room_details", "rooms", "vertex_effects", "drawing")
_OF_FACES = ("faces", "shine", "animated_faces", "brush", "object_textures")
_OF_ANIMATIONS = ("animations", "watch", "ghosts", "tick_preview")
_SHOWN: dict[str, tuple[str, ...]] = {
    "nothing": ("rooms", "triggers"),
    "SKY": ("rooms", "triggers"),  # it cannot be selected
    "ROOM": _OF_ROOMS,
    "ROOM in EDIT": ("faces", "animated_faces", "brush", "object_textures", "vertex_effects", "drawing"),
    "MODEL": ("model", "replace", *_OF_ANIMATIONS),
    "MODEL in POSE": (*_OF_ANIMATIONS, "animate", "control_rig", "limbs", "edit_keys", "layer", "motion"),
    "MODEL_MESH": ("replace", *_OF_ANIMATIONS),
    "MODEL_MESH in EDIT": _OF_FACES,
    "STATIC_MESH": ("static_mesh",),
    "STATIC_MESH in EDIT": _OF_FACES,
    "SPRITE": ("sprite",),
    "SPRITE_TEXTURE": ("sprite_texture",),
    "PLACEMENT": ("placement",),
    "LIGHT": ("light",),
    "PORTAL": ("portal",),
    "COLLISION": ("collision_object", "drawing"),
    "COLLISION in EDIT": ("collision", "drawing"),
    "ENTITY": ("entity", "replace", "properties", *_OF_ANIMATIONS),
    "AI_OBJECT": ("ai_object",),
    "CAMERA": ("camera",),
    "SINK": ("sink",),
    "FLYBY": ("flyby",),
    "CINEMATIC": ("cinematic",),
    "TRIGGER": ("trigger", "triggers"),
    "SOUND_SOURCE": ("sound_source",),
    "BOXES": ("boxes",),
    "BOXES in EDIT": ("boxes",),
    "mesh of the user": ("loose_mesh", "rooms"),
}


def _broken(folder: Path, sample: str | Game) -> Any:
    """Import a sample level with findings of a check and of an export."""
    root = import_sample(folder, sample)
    objects(root, "PORTAL")[0].data.flip_normals()
    bpy.ops.tomb_raider.check_level()
    return root


def _every_work(root: Any) -> Iterator[tuple[str, dict[str, Drawn]]]:
    """Yield the tab for every selection and mode, also with the brush, a control rig and an opened model."""
    for selection in every_selection(root):
        yield selection, tab_now()
        if selection in ("ROOM", "ROOM in EDIT"):
            yield f"{selection} with the brush", tab_now(workspace=PAINTING)
        if selection == "MODEL in POSE":
            bpy.ops.tomb_raider.add_control_rig()
            yield "control rig", tab_now()
            bpy.ops.tomb_raider.remove_control_rig(keep=False)
    entity = next(obj for obj in objects(root, "ENTITY") if obj.instance_collection is not None)
    select(entity)
    with in_view():
        bpy.ops.tomb_raider.edit_model()
        yield "opened model", tab_now(space_data=bpy.context.space_data)
        bpy.ops.tomb_raider.animate_model()
        bpy.ops.tomb_raider.add_control_rig()
        yield "opened model in POSE", tab_now(space_data=bpy.context.space_data)
        bpy.ops.tomb_raider.leave_model()


def test_heights_are_those_of_a_window() -> None:
    """Measured in Blender 4.3 at a scale of 1.0417, without findings, and divided by it."""
    layout = Layout()
    for _ in range(4):
        layout.operator("mesh.primitive_cube_add")
    layout.label(text="Check: 2 errors, 11 warnings")
    layout._parts.append(6 * 20.0 + 19.0)  # a list of six rows
    column = layout.column(align=True)
    for _ in range(4):
        column.label(text="the static mesh 10")
    assert HEADER + BORDERS + layout.height + GAP == pytest.approx(391 / 1.0417, abs=2)
    row = Layout().row()
    row.label(text="short")
    row.column().label(text="and tall")
    row._parts[1]._parts.append(20.0)
    assert row.height == 42


@each_game
def test_the_work_in_hand_is_on_the_screen_without_scrolling(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    """All panels end above the bottom of the sidebar in a window of 1600 x 1000, as in a new file."""
    root = _broken(tmp_path, game)
    if game.traits.has_trx:
        root.tomb_raider.engine = "TRX"
        root.tomb_raider.edits.add()
    below = {
        (selection, panel, each.bottom)
        for selection, found in _every_work(root)
        for panel, each in found.items()
        if each.bottom > REGION
    }
    assert below == set()


def test_each_selection_and_mode_has_its_panels_in_one_order(blender: ModuleType, tmp_path: Path) -> None:
    """If this fails for a new panel: its `poll` has to ask for the selection and the mode."""
    for sample in ("tr1", "tr4"):
        root = import_sample(tmp_path, sample)
        for selection in every_selection(root):
            found = tuple(drawn())
            assert found[: len(_ON_TOP)] == _ON_TOP, selection
            wanted = _SHOWN.get(selection, ())
            assert found[len(_ON_TOP) :] == tuple(each for each in wanted if each in found), selection
            assert not wanted or wanted[0] in found, selection
        bpy.ops.tomb_raider.delete_level()


def test_with_the_brush_only_its_panel_is_shown(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    select(objects(root, "ROOM")[0])
    for mode in ("OBJECT", "EDIT"):
        bpy.ops.object.mode_set(mode=mode)
        assert [*tab_now(workspace=PAINTING)] == [*_ON_TOP, "brush", "object_textures"]


def test_an_opened_model_shows_no_other_subjects(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    select(next(obj for obj in objects(root, "ENTITY") if obj.instance_collection is not None))
    with in_view() as view:
        bpy.ops.tomb_raider.edit_model()
        assert view.local_view is not None
        found = [*tab_now(space_data=view)]
        assert found[:3] == ["edited_model", *_ON_TOP] and not {"rooms", "triggers"} & {*found}
        bpy.ops.object.select_all(action="DESELECT")
        assert [*tab_now(space_data=view)] == ["edited_model", *_ON_TOP]


def test_no_button_is_gray(blender: ModuleType, tmp_path: Path) -> None:
    """Buttons that do nothing for the selection are not drawn."""
    gray = set()
    for sample in ("tr1", "tr4", "tr5"):
        root = _broken(tmp_path, sample)
        for selection, found in _every_work(root):
            for panel, each in found.items():
                for name, _ in each.layout.operators:
                    group, operator = name.split(".")
                    with in_view():
                        if not getattr(getattr(bpy.ops, group), operator).poll():
                            gray.add((selection, panel, name))
        bpy.ops.tomb_raider.delete_level(collection=root.name)
    assert gray == set()


def test_no_button_is_twice_on_the_tab(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    bpy.ops.tomb_raider.check_level()
    twice = {}
    for selection in every_selection(root):
        buttons = [
            (name, *sorted((key, str(value)) for key, value in vars(settings).items() if key not in _ANYWAY))
            for layout in drawn().values()
            for name, settings in layout.operators
        ]
        more = [button for button, count in Counter(buttons).items() if count > 1]
        # The check is in the title of its panel, also while that is closed, and in the panel.
        more = [button for button in more if button != ("tomb_raider.check_level",)]
        if more:
            twice[selection] = more
    assert twice == {}


@each_game
def test_no_text_is_cut_off_at_the_default_width(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    """Texts that name objects can be of any length; those of the sample are as long as in the games."""
    root = _broken(tmp_path, game)
    cut = {
        (panel, " | ".join(text for text, _ in line), round(sum(pixels for _, pixels in line)))
        for _ in every_selection(root)
        for panel, layout in drawn().items()
        for line in layout.lines
        if sum(pixels for _, pixels in line) > panel_width()
    }
    assert cut == set()


def test_every_list_has_a_heading(blender: ModuleType, tmp_path: Path) -> None:
    root = _broken(tmp_path, "tr4")
    headings: dict[str, set[str]] = {}
    for _ in every_selection(root):
        for layout in drawn().values():
            for name, heading in layout.headings.items():
                headings.setdefault(name, set()).add(heading)
    assert headings.pop("actions") == {"Actions", ""}  # of triggers; below the title Animations
    assert headings.pop("limbs") == {""}  # below the title Limbs
    assert headings.pop("rows") == {"Bones"}  # of retargeting
    assert headings.pop("groups") == {""}  # below the title Animated Textures
    assert len(headings.pop("findings")) == 1 and not headings
