"""Sidebar list of the edits that TRX makes when it loads a level."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection, Context, UILayout

from ...formats.base import T, about
from ..base.layout.panels import LevelPopover, Rows, listing
from ..base.levels import game_of, meant_level
from ..base.text.fitting import panel_width, shortened, wrapped
from ..base.text.i18n import translate

_RESERVED = 90.0  # pixels of a row that its check box, the frame of the list and its buttons take


class TOMB_RAIDER_UL_edits(Rows):
    """List of edits: a check box, and a button that shows the object."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        from ...scene.subjects.injections import label_of, subject_of

        edits = item.id_data.tomb_raider.edits
        number = next(number for number, edit in enumerate(edits) if edit == item)
        row = layout.row(align=True)
        row.prop(item, "is_enabled", text="")
        content = row.row(align=True)
        content.active = item.is_enabled
        text = translate(about(subject_of(item), label_of(item)))
        text = shortened(text, panel_width() - _RESERVED)
        button: Any = content.operator("tomb_raider.show_edit", text=text, emboss=False, translate=False)
        button.collection, button.number = item.id_data.name, number


class VIEW3D_PT_tomb_raider_edits(LevelPopover):
    """Popover of the edits that TRX makes when it loads the level."""

    bl_label = "Edits of TRX"

    @classmethod
    def poll(cls, context: Context) -> bool:
        level = meant_level(context) if super().poll(context) else None
        return level is not None and game_of(level).traits.has_trx and context.mode == "OBJECT"

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        settings = level.tomb_raider
        if len(settings.edits):
            buttons = listing(
                layout, TOMB_RAIDER_UL_edits, settings, "edits", "active_edit", rows=5, heading=""
            )
            for operator, icon in (("apply_edits", "CHECKMARK"), ("delete_edits", "REMOVE")):
                button = buttons.operator(f"tomb_raider.{operator}", text="", icon=icon)
                button.collection, button.scope = level.name, "ACTIVE"
            self._draw_whole(layout, settings)
            row = layout.row(align=True)
            for operator, text in (("apply_edits", "Apply All"), ("delete_edits", "Delete All")):
                button = row.operator(f"tomb_raider.{operator}", text=text)
                button.collection, button.scope = level.name, "ALL"
        column = layout.column(align=True)
        column.operator("import_scene.tomb_raider_injection", text="Import Injection...", icon="IMPORT")
        operator = "export_scene.tomb_raider_injection"
        column.operator(operator, text="Export Injection...", icon="EXPORT").collection = level.name

    def _draw_whole(self, layout: UILayout, settings: Any) -> None:
        """Draw the full text of the active edit, since a row is too short."""
        from ...scene.subjects.injections import detail_of, label_of, subject_of

        index = settings.active_edit
        if index >= len(settings.edits):
            return
        item = settings.edits[index]
        text = about(subject_of(item), label_of(item))
        if item.detail:
            text = T("{edit} ({detail})", edit=text, detail=detail_of(item))
        column = layout.column(align=True)
        for line in wrapped(translate(text)):
            column.label(text=line, translate=False)


CLASSES = (TOMB_RAIDER_UL_edits, VIEW3D_PT_tomb_raider_edits)
