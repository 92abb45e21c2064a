"""A layout that records what a panel draws, since Blender draws panels only in a window.

It checks what Blender would report on the console: properties and operators that do not exist. It also
measures what a window would show: the pixels of each line, and the height of the whole.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from inspect import isfunction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import bpy

from io_tomb_raider.formats.base.messages import Text
from io_tomb_raider.ui.base.text import i18n
from io_tomb_raider.ui.base.text.fitting import text_width
from io_tomb_raider.ui.translations.dictionary import Dictionary

_ICON = 20.0  # pixels of an icon
_PADDING = 8.0  # pixels around a text
# Heights in pixels at scale 1, as measured in windows of Blender 4.3.
_UNIT = 20.0  # a row
_SPACING = 2.0  # between rows of a column that does not join them
_SEPARATOR = 6.0
_BOX = 10.0  # the frame of a box
_LIST_FRAME = 19.0  # of a list, with its grip
HEADER = 25.0  # of a panel
BORDERS = 16.0  # above and below the content of a panel
GAP = 2.0  # between panels


class Marked(str):
    """A text that the extension has translated."""

    __slots__ = ()


class Marking(Dictionary):
    """A dictionary whose results are marked, so that texts without a translation are seen."""

    def translate(self, message: str) -> str:
        return Marked(super().translate(message))


def _has_words(text: str) -> bool:
    return any(one.isalpha() and other.isalpha() for one, other in pairwise(text))


class Layout:
    """Replaces a UILayout and all layouts inside it."""

    def __init__(self) -> None:
        self.shown: list[tuple[Any, str]] = []
        self.texts: list[str] = []  # all visible texts
        self.labels: list[str] = []
        self.operators: list[Any] = []
        self.choices: list[str] = []  # operators of menus that list an enumeration
        self.pressed: list[bool] = []  # state of each operator's button
        self.lists: list[str] = []
        self.rows: list[tuple[str, Any]] = []  # of lists: the drawing class and the item
        self.menus: list[str] = []
        self.pictures: list[int] = []  # large previews, by icon number
        self.lines: list[list[tuple[str, float]]] = []  # labels and buttons, with the pixels they need
        self.headings: dict[str, str] = {}  # of lists: the label directly above, or ""
        self.popovers: list[str] = []
        self.icons: list[str] = []  # of labels
        self._row: list[tuple[str, float]] | None = None  # the line of a row
        self._columns = 1  # of a grid
        # What a height depends on: the parts in order, numbers or layouts.
        self._parts: list[float | Layout] = []
        self._kind, self._spacing = "COLUMN", _SPACING

    @property
    def height(self) -> float:
        """The pixels from the top to the bottom at scale 1, without the frame of a panel."""
        heights = [each.height if isinstance(each, Layout) else each for each in self._parts]
        heights = [each for each in heights if each]
        if self._kind == "ROW":
            return max(heights, default=0.0)
        if self._kind == "GRID":
            heights = [
                max(heights[start : start + self._columns]) for start in range(0, len(heights), self._columns)
            ]
        frame = _BOX if self._kind == "BOX" and heights else 0.0
        return sum(heights) + self._spacing * max(len(heights) - 1, 0) + frame

    def _part(self, kind: str, *, align: bool = False) -> Layout:
        """Return a layout inside, which records in the same lists."""
        part = copy(self)
        part._parts, part._kind, part._spacing = [], kind, 0.0 if align else _SPACING
        self._parts.append(part)
        return part

    def column(self, *, align: bool = False, heading: str = "") -> Layout:
        self.texts.append(heading)
        return self._part("COLUMN", align=align)

    def row(self, *, align: bool = False, heading: str = "") -> Layout:
        self.texts.append(heading)
        part = self._part("ROW")
        if self._row is None:
            part._row = []
            self.lines.append(part._row)
        return part

    def box(self) -> Layout:
        return self._part("BOX")

    def grid_flow(self, *, columns: int = 1, **_: Any) -> Layout:
        part = self._part("GRID")
        part._columns = columns
        return part

    def _add_line(self, text: str, icon: str) -> None:
        """Record the pixels that a label or a button needs for its text and icon."""
        pixels = text_width(text) + (_PADDING if text else 0.0) + (_ICON if icon != "NONE" else 0.0)
        if self._row is None:
            self.lines.append([(text, pixels * self._columns)])
        else:
            self._row.append((text, pixels))

    def panel(self, idname: str, *, default_closed: bool = False) -> tuple[Layout, Layout]:
        return self, self

    def separator(self) -> None:
        self._parts.append(_SEPARATOR)

    def split(self, *, factor: float = 0.0) -> Layout:
        part = self._part("ROW")
        # Labels of a split are shortened, or its author has chosen their widths.
        part._row = self._row
        return part

    def template_icon(self, *, icon_value: int, scale: float = 1.0) -> None:
        self.pictures.append(icon_value)
        self._parts.append(_UNIT * scale)

    def template_icon_view(
        self,
        data: Any,
        name: str,
        *,
        show_labels: bool = False,
        scale: float = 6.0,
        scale_popup: float = 5.0,
    ) -> None:
        assert data.bl_rna.properties[name].type == "ENUM"
        self._parts.append(_UNIT * scale)
        self.shown.append((data, name))
        # Of a dynamic enumeration, Blender returns the name of the current item only.
        self.texts.append(bpy.types.UILayout.enum_item_name(data, name, getattr(data, name)))

    def _note_text(self, text: str, *, is_fixed: bool = False) -> None:
        """Record a visible text. Blender translates fixed texts, and no messages with arguments."""
        dictionary = i18n._current.dictionary
        if dictionary is not None:
            assert not (isinstance(text, Text) and text.values), text
            # A translated message is a type of its own in a test that asks for it.
            if is_fixed and isinstance(dictionary, Marking) and not isinstance(text, Marked):
                assert text in dictionary.texts or not _has_words(text), text
        self.texts.append(text)

    def label(self, *, text: str, icon: str = "NONE", icon_value: int = 0, translate: bool = True) -> None:
        assert icon in icons()
        self._parts.append(_UNIT)
        self.labels.append(text)
        self.icons.append(icon)
        self._note_text(text, is_fixed=translate)
        self._add_line(text, icon)

    def prop(
        self,
        data: Any,
        name: str,
        *,
        text: str | None = None,
        icon: str = "NONE",
        placeholder: str = "",
        emboss: bool = True,
        index: int = -1,
        toggle: bool = False,
        expand: bool = False,
        slider: bool = False,
        icon_only: bool = False,
        translate: bool = True,
    ) -> None:
        if name.startswith('["'):  # a custom property
            assert name[2:-2] in data, (data, name)
            self._parts.append(_UNIT)
            self.shown.append((data, name))
            self.texts.append(name[2:-2] if text is None else text)
            return
        assert name in data.bl_rna.properties, (data, name)
        assert index < max(1, getattr(data.bl_rna.properties[name], "array_length", 0))
        assert icon in icons()
        self.shown.append((data, name))
        field = data.bl_rna.properties[name]
        count = (
            getattr(field, "array_length", 0) if index < 0 and not field.subtype.startswith("COLOR") else 1
        )
        self._parts.append(_UNIT * max(count, 1))
        self._note_text(field.name if text is None else text, is_fixed=translate and text is not None)
        if field.type == "ENUM":
            chosen = getattr(data, name)
            self.texts += [each.name for each in field.enum_items]
            if isinstance(chosen, str) and isinstance(data, bpy.types.bpy_struct):
                # Of a dynamic enumeration, Blender returns the name of the current item only.
                self.texts.append(bpy.types.UILayout.enum_item_name(data, name, chosen))

    def prop_search(self, data: Any, name: str, source: Any, field: str, *, text: str | None = None) -> None:
        assert name in data.bl_rna.properties and field in source.bl_rna.properties
        self._parts.append(_UNIT)
        self.shown.append((data, name))
        self.texts.append(data.bl_rna.properties[name].name if text is None else text)
        self.texts += [each.name for each in getattr(source, field)]

    def template_list(
        self,
        kind: str,
        _name: str,
        data: Any,
        field: str,
        active: Any,
        place: str,
        *,
        rows: int = 5,
        **_: Any,
    ) -> None:
        assert hasattr(bpy.types, kind), kind
        assert field in data.bl_rna.properties
        assert place in active.bl_rna.properties
        self._parts.append(_UNIT * max(rows, 1) + _LIST_FRAME)
        self.lists.append(field)
        above = [line for line in self.lines if line]
        self.headings[field] = above[-1][0][0] if above and above[-1][0][0] in self.labels else ""
        self.rows += [(kind, row) for row in getattr(data, field)]

    def menu(self, name: str, *, text: str | None = None, icon: str = "NONE") -> None:
        assert hasattr(bpy.types, name), name
        assert icon in icons()
        self._parts.append(_UNIT)
        self.menus.append(name)
        self._note_text(getattr(bpy.types, name).bl_label if text is None else text, is_fixed=bool(text))
        self._add_line(self.texts[-1], icon)

    def popover(
        self, panel: str, *, text: str | None = None, icon: str = "NONE", translate: bool = True
    ) -> None:
        kind = getattr(bpy.types, panel)
        assert icon in icons()
        self._parts.append(_UNIT)
        self.popovers.append(panel)
        self._note_text(kind.bl_label if text is None else text, is_fixed=translate and text is not None)
        self._add_line(self.texts[-1], icon)

    def operator_menu_enum(
        self, name: str, field: str, *, text: str | None = None, icon: str = "NONE"
    ) -> Any:
        group, operator = name.split(".")
        kind = getattr(getattr(bpy.ops, group), operator).get_rna_type()
        assert kind.properties[field].type == "ENUM"
        assert icon in icons()
        self._parts.append(_UNIT)
        self._note_text(kind.name if text is None else text, is_fixed=text is not None)
        self._add_line(self.texts[-1], icon)
        self.choices.append(name)
        self.texts += [each.name for each in kind.properties[field].enum_items]
        return SimpleNamespace()

    def operator(
        self,
        name: str,
        *,
        text: str | None = None,
        icon: str = "NONE",
        depress: bool = False,
        emboss: bool = True,
        translate: bool = True,
    ) -> Any:
        group, operator = name.split(".")
        kind = getattr(getattr(bpy.ops, group), operator).get_rna_type()
        assert icon in icons()
        self._parts.append(_UNIT)
        self._note_text(kind.name if text is None else text, is_fixed=translate and text is not None)
        self._add_line(self.texts[-1], icon)
        settings = _Settings(set(kind.properties.keys()))
        self.operators.append((name, settings))
        self.pressed.append(depress)
        return settings

    @property
    def names(self) -> list[str]:
        """The properties that are drawn, in order, each once."""
        return list(dict.fromkeys(name for _, name in self.shown))

    @property
    def fields(self) -> list[str]:
        """The properties that are drawn, except views in other units and by name."""
        measures = [name for name in self.names if name.endswith(("_measure", "_cone", "_name"))]
        return [name for name in self.names if name not in measures]


class _Settings(SimpleNamespace):
    """Properties of a button's operator."""

    def __init__(self, known: set[str]) -> None:
        object.__setattr__(self, "_known", known)

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in self._known, name
        super().__setattr__(name, value)


@cache
def icons() -> set[str]:
    """Return the names of all icons of this Blender."""
    return set(bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys())


def draw(panel: Any, **context: Any) -> Layout | None:
    """Return what a panel draws in a context, or None if its poll fails."""
    given = SimpleNamespace(
        **{
            "object": None,
            "collection": None,
            "space_data": None,
            "scene": bpy.context.scene,
            "view_layer": bpy.context.view_layer,
            "mode": bpy.context.mode,
            "edit_object": bpy.context.edit_object,
            "objects_in_mode_unique_data": getattr(bpy.context, "objects_in_mode_unique_data", ()),
            "selected_objects": bpy.context.selected_objects,
            "active_pose_bone": bpy.context.active_pose_bone,
            "edit_image": None,
            "material": None,
            "mesh": None,
            "window_manager": bpy.context.window_manager,
            **context,
        }
    )
    parent = getattr(bpy.types, getattr(panel, "bl_parent_id", ""), None)
    for each in (parent, panel):
        if each is not None and hasattr(each, "poll") and not each.poll(given):
            return None
    # Only Blender can create an instance of a panel.
    methods: dict[str, Any] = {}
    for each in reversed(panel.__mro__):
        if each.__module__.startswith("io_tomb_raider."):
            members = {name: value for name, value in vars(each).items() if not name.startswith("__")}
            methods |= {
                name: value
                for name, value in members.items()
                if isfunction(value) or type(value) in (str, tuple)
            }
    stand_in = type("StandIn", (), methods)()
    stand_in.layout = layout = Layout()
    if "draw_header_preset" in methods:
        # In the title of the panel, which has its own height.
        stand_in.layout = header = layout.row()
        header._add_line(panel.bl_label, "TRIA_DOWN")
        stand_in.draw_header_preset(given)
        layout._parts.clear()
    stand_in.layout = layout
    stand_in.draw(given)
    return layout


def shown(panel: Any, **context: Any) -> Layout:
    """Return what a panel shows, which has to appear."""
    layout = draw(panel, **context)
    assert layout is not None
    return layout
