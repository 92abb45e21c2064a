"""Shared parts of panels and lists."""

from typing import Any

import bpy
from bpy.types import Collection, Context, Object, Panel, UILayout, UIList, bpy_struct

from ....formats import Game
from ....formats.base import T, as_message
from ..active import active_object
from ..levels import game_of, level_of, meant_level
from ..text.fitting import wrapped
from ..text.i18n import translate
from .sidebar import MODES, TAB, TOOLS, has_selection, is_local, is_nothing_selected, is_painting

_ICON = 24.0  # width of an icon, in pixels at scale 1
_NUMBER = 2.2  # width of the number next to a name, in units of Blender's buttons


def split_layout(owner: Any) -> UILayout:
    """Return the layout of a panel or operator, with labels to the left of fields, as in Blender's own."""
    layout: UILayout = owner.layout
    layout.use_property_split, layout.use_property_decorate = True, False
    return layout


def split_columns(panel: Panel) -> UILayout:
    """Return a column of a panel with labels to the left of fields."""
    return split_layout(panel).column()


def draw_settings(operator: Any, *names: str) -> None:
    """Draw properties of an operator, one below the other, with labels to the left of their fields."""
    layout = split_layout(operator)
    for name in names:
        layout.prop(operator, name, icon="OUTLINER_COLLECTION" if name == "collection" else "NONE")


def fields(layout: UILayout, settings: bpy_struct, *names: str, heading: str = "") -> UILayout:
    """Draw properties of a group in a column, and return it.

    If a property has a view in other units or by name, see ``scene.properties.views``, that is drawn first.
    """
    column = layout.column(align=True, heading=heading)
    properties = settings.bl_rna.properties
    for name in names:
        views = (f"{name}_measure", f"{name}_name")
        view = next((view for view in views if view in properties), None)
        if view is None:
            column.prop(settings, name)
        else:
            measured(column, settings, view, name)
    return column


def measured(layout: UILayout, settings: bpy_struct, measure: str, name: str) -> None:
    """Draw a property in the view's units, followed by the game's value."""
    row = layout.row(align=True)
    row.prop(settings, measure)
    if getattr(settings.bl_rna.properties[name], "array_length", 0) == 0:
        if measure.endswith("_name"):  # which needs the width
            row = row.row(align=True)
            row.ui_units_x = _NUMBER
        row.prop(settings, name, text="")


def switches(layout: UILayout, settings: Any, name: str) -> None:
    """Draw the bits of a property in a row, numbered from 1."""
    row = layout.row(align=True, heading=settings.bl_rna.properties[name].name)
    for index in range(settings.bl_rna.properties[name].array_length):
        row.prop(settings, name, index=index, text=str(index + 1), toggle=True)


def box(layout: UILayout, settings: bpy_struct, name: str) -> None:
    """Draw a box (minimum and maximum of x, y and z), one axis per row."""
    column = layout.column(align=True)
    label = settings.bl_rna.properties[name].name
    for axis, letter in enumerate("XYZ"):
        row = column.row(align=True)
        row.prop(
            settings,
            name,
            index=2 * axis,
            text=translate(letter if axis else T("{label} {axis}", label=as_message(label), axis=letter)),
        )
        row.prop(settings, name, index=2 * axis + 1, text="")


def draw_note(layout: UILayout, note: str) -> None:
    """Draw a note of the catalogue in as many lines as it needs; nothing without one."""
    if not note:
        return
    column = layout.column(align=True)
    column.active = False
    for number, line in enumerate(wrapped(translate(as_message(note)), reserved=_ICON)):
        column.label(text=line, icon="BLANK1" if number else "INFO", translate=False)


def number_in_file(layout: UILayout, index: int) -> None:
    """Draw an object's number in the file."""
    row = layout.row()
    row.active = False
    row.label(
        text=translate(
            T("Number {index} in the file", index=index) if index >= 0 else T("New, not in the imported file")
        )
    )


def belongs_to_no_level(layout: UILayout) -> None:
    """Draw a warning that an object will not be exported."""
    layout.label(text="Not exported: it is in no level", icon="ERROR")


def listing(
    layout: UILayout,
    kind: type[UIList],
    settings: bpy_struct,
    name: str,
    active: str,
    *,
    rows: int,
    heading: str,
) -> Any:
    """Draw a list, and return a column next to it for buttons.

    Args:
        settings: group with the collection ``name`` and the index of its active row, ``active``.
        rows: minimum number of visible rows.
        heading: text above the list; "" if the title of the panel or another text is directly above.
    """
    if heading:
        layout.label(text=heading)
    row = layout.row()
    row.template_list(kind.__name__, "", settings, name, settings, active, rows=rows)
    return row.column(align=True)


class Rows(UIList):
    """Base of lists whose rows need only their item."""

    def draw_item(
        self,
        context: object,
        layout: UILayout,
        data: object,
        item: object,
        icon: object,
        active_data: object,
        active_property: object,
        index: object = 0,
        flt_flag: object = 0,
    ) -> None:
        self.draw_row(layout, item)

    def draw_row(self, layout: UILayout, item: object) -> None:
        """Draw one row."""
        raise NotImplementedError


class SidebarPanel(Panel):
    """Base of panels in the tab of the 3D view's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB


class PropertiesPanel(Panel):
    """Base of panels in the properties editor."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"


class CollectionPanel(PropertiesPanel):
    """Base of panels in the properties of collections."""

    bl_context = "collection"


class LevelPart(CollectionPanel):
    """Base of parts of the panel of a level."""

    bl_parent_id = "COLLECTION_PT_tomb_raider_level"


class LevelSidebar(SidebarPanel):
    """Base of panels about the user's level, in the sidebar's tab."""

    bl_order = TOOLS

    @classmethod
    def poll(cls, context: Context) -> bool:
        return meant_level(context) is not None

    def draw(self, context: Context) -> None:
        level = meant_level(context)
        if level is not None:
            self.draw_level(split_columns(self), context, level)

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        """Draw the panel of a level."""
        raise NotImplementedError


class LevelPopover(LevelSidebar):
    """Base of panels about the user's level that a button opens."""

    bl_region_type: Any = "HEADER"  # whose panels Blender shows in popovers only
    bl_category = ""
    bl_ui_units_x = 13


class SubjectTools(LevelSidebar):
    """Base of panels with tools of a subject, in object mode: for its objects, and if nothing is selected."""

    bl_context = "objectmode"
    kinds: tuple[str, ...] = ()  #: the kinds of active objects that the tools are for.
    starts = True  #: whether the panel has tools that need no object.

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.mode != "OBJECT" or is_painting(context) or not super().poll(context):
            return False
        if is_nothing_selected(context):
            return cls.starts and not is_local(context)
        return context.object is not None and context.object.tomb_raider.kind in cls.kinds


class ObjectPanel(PropertiesPanel):
    """Base of panels for objects of one kind."""

    bl_context = "object"
    kind = ""
    # Operators of this extension for such objects, below the fields. Those in a tuple share a row.
    tools: tuple[str | tuple[str, ...], ...] = ()

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.tomb_raider.kind == cls.kind

    def draw(self, context: Context) -> None:
        obj = active_object(context)
        level = level_of(obj)
        column = split_columns(self)
        if level is None:
            belongs_to_no_level(column)
            return
        number_in_file(column, -1 if obj.tomb_raider.is_copy else obj.tomb_raider.index)
        self.draw_fields(column, obj, game_of(level))
        buttons = column.column(align=True)
        for tool in self.tools:
            row = buttons.row(align=True)
            for operator in (tool,) if isinstance(tool, str) else tool:
                offer(row, operator)

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        """Draw the fields of an object."""
        raise NotImplementedError


def can_call(operator: str) -> bool:
    """Return whether an operator of this extension, without its group, can be called now."""
    tools: Any = bpy.ops
    return bool(getattr(tools.tomb_raider, operator).poll())


def offer(layout: UILayout, operator: str, text: str | None = None, icon: Any = "NONE") -> Any:
    """Draw the button of an operator if it can be called now, and return its properties, or else None."""
    if not can_call(operator):
        return None
    if text is None:
        return layout.operator(f"tomb_raider.{operator}", icon=icon)
    return layout.operator(f"tomb_raider.{operator}", text=text, icon=icon)


def is_tool_of_selection(context: Context, operator: str) -> bool:
    """Return whether the panel of the active object has the button of an operator, without its group."""
    if context.mode not in MODES or not has_selection(context):
        return False
    tools = (tool for panel in ObjectPanel.__subclasses__() if panel.poll(context) for tool in panel.tools)
    return any(operator == tool or operator in tool for tool in tools)


def tool(layout: UILayout, context: Context, operator: str, icon: Any = "NONE") -> None:
    """Draw the button of an operator if it can be called, unless the panel of the active object has it."""
    if not is_tool_of_selection(context, operator):
        offer(layout, operator, icon=icon)
