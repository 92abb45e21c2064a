"""Text data-blocks in text editors."""

from __future__ import annotations

import bpy
from bpy.types import Context, Text


def show_text(context: Context, text: Text, *, in_new_window: bool = False) -> None:
    """Show a text in the first open text editor, if any, or else in a new window if that is allowed."""
    text.cursor_set(0)  # the cursor is at the end of the written text, and editors would scroll there
    areas = () if context.screen is None else context.screen.areas
    area = next((area for area in areas if area.type == "TEXT_EDITOR"), None)
    if area is None and in_new_window and not bpy.app.background:
        bpy.ops.wm.window_new()
        area = context.window_manager.windows[-1].screen.areas[0]
        area.type = "TEXT_EDITOR"
        editor = area.spaces.active
        editor.show_syntax_highlight = False  # syntax highlighting is for Python
    if area is not None:
        space = area.spaces.active
        space.text = text
        space.top = 0
