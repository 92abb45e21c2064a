"""How all panels are laid out."""

from __future__ import annotations

from typing import Any

from bpy.types import Panel, UILayout


def split_columns(panel: Panel) -> UILayout:
    """Return a column of a panel whose labels stand left of their fields, as in Blender's own panels."""
    layout: Any = panel.layout
    layout.use_property_split, layout.use_property_decorate = True, False
    return layout.column()


def fields(layout: UILayout, settings: Any, *names: str, heading: str = "") -> UILayout:
    """Show properties of one group, closely spaced, and return their column."""
    column = layout.column(align=True, heading=heading)
    for name in names:
        column.prop(settings, name)
    return column


def number_in_file(layout: UILayout, index: int) -> None:
    """Say where a thing stood in the file."""
    row = layout.row()
    row.active = False
    row.label(text=f"Number {index} in the file" if index >= 0 else "New, not in the imported file")
