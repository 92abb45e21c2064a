"""The tab of the sidebar: its panels as a window orders them, what they draw, and where each of them ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
from bpy.types import Collection

from io_tomb_raider.scene.core.subjects import SUBJECTS
from io_tomb_raider.ui.base.layout.sidebar import TAB
from io_tomb_raider.ui.view.visibility import PARTS
from tests.scene.scenes import objects

from .everything import PANELS
from .recorder import BORDERS, GAP, HEADER, Layout, draw
from .user_actions import add_cube, in_view, select

# Pixels from the first panel to the bottom of the sidebar in a window of 1600 x 1000 at scale 1, with the
# timeline below the view, as Blender starts.
REGION = 780.0


class Drawn(NamedTuple):
    """A panel that a selection and a mode show.

    Attributes:
        layout: what it draws.
        is_open: whether it is open in a new file, with its parents.
        bottom: the pixels from the top of the sidebar to its end.
    """

    layout: Layout
    is_open: bool
    bottom: float


def tab_panels() -> list[Any]:
    """Return the registered panels of the tab, in the order in which Blender draws them.

    Blender sorts panels by their order, then by their registration. Those without a title are at the top.
    """
    every = [each for each in _below(bpy.types.Panel) if "io_tomb_raider" in each.__module__]
    panels = [each for each in every if getattr(each, "bl_category", "") == TAB and each.is_registered]
    places = {panel: place for place, panel in enumerate(PANELS)}
    in_view = [each for each in panels if each.bl_space_type == "VIEW_3D"]

    def place(panel: Any) -> tuple[bool, int, int]:
        has_title = "HIDE_HEADER" not in getattr(panel, "bl_options", ())
        return has_title, getattr(panel, "bl_order", 0), places.get(panel, -1)

    return sorted(in_view, key=place)


def _below(kind: Any) -> Iterator[Any]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def tab_now(**context: Any) -> dict[str, Drawn]:
    """Return what the tab shows of the selection and the mode, by the names of panels, from top to bottom."""
    given = {"object": bpy.context.object, **context}
    parents: dict[str, list[Any]] = {}
    for panel in tab_panels():
        parents.setdefault(getattr(panel, "bl_parent_id", ""), []).append(panel)
    found: dict[str, Drawn] = {}
    _add(parents, "", found, given, is_open=True, top=0.0)
    return found


def _add(
    parents: dict[str, list[Any]],
    parent: str,
    found: dict[str, Drawn],
    given: dict[str, Any],
    *,
    is_open: bool,
    top: float,
) -> float:
    """Add the panels of a parent below some pixels, and return the pixels to their end."""
    for panel in parents.get(parent, ()):
        if getattr(panel, "bl_context", "") == "objectmode" and bpy.context.mode != "OBJECT":
            continue
        layout = draw(panel, **given)
        if layout is None:
            continue
        options: set[str] = getattr(panel, "bl_options", set())
        name = panel.__name__
        inside = is_open and "DEFAULT_CLOSED" not in options
        bottom = top + (0.0 if "HIDE_HEADER" in options else HEADER)
        if inside:
            bottom += BORDERS + layout.height if layout.height else 0.0
        found[name.partition("_PT_tomb_raider_")[2]] = Drawn(layout, inside, bottom if is_open else top)
        bottom = _add(parents, name, found, given, is_open=inside, top=bottom)
        if is_open:
            top = bottom + (0.0 if parent else GAP)
    return top


def drawn(**context: Any) -> dict[str, Layout]:
    """Return what each panel of the tab draws, by the name of the panel."""
    return {name: each.layout for name, each in tab_now(**context).items()}


def every_selection(root: Collection) -> Iterator[str]:
    """Select an object of each kind, also in edit and pose mode, and yield the name of the selection."""
    from io_tomb_raider.scene.core.level_visibility import is_shown

    layer: Any = bpy.context.view_layer
    for part, *_ in PARTS:
        if not is_shown(root, layer, part):
            with in_view():
                try:
                    bpy.ops.tomb_raider.toggle_library(kind=part)
                except RuntimeError:  # it has none of these
                    continue
    select()
    layer.objects.active = None
    yield "nothing"
    for kind in (kind.identifier for subject in SUBJECTS for kind in subject.objects):
        for obj in _examples(root, kind):
            select(obj)
            yield kind
            mode: Any = {"MESH": "EDIT", "ARMATURE": "POSE"}.get(obj.type)
            if mode is not None and obj.visible_get():
                bpy.ops.object.mode_set(mode=mode)
                if mode == "EDIT":
                    bpy.ops.mesh.select_all(action="SELECT")
                yield f"{kind} in {mode}"
                bpy.ops.object.mode_set(mode="OBJECT")
    cube: Any = add_cube()
    for home in cube.users_collection:
        home.objects.unlink(cube)
    root.objects.link(cube)
    select(cube)
    yield "mesh of the user"


def _examples(root: Collection, kind: str) -> list[Any]:
    """Return an object of a kind: of models, Lara, who has the most."""
    found = objects(root, kind)
    lara = [obj for obj in found if obj.name.startswith("Lara")]
    return (lara or found)[:1]
