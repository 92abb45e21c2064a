"""Texts in panels of limited width: Blender cuts long ones in the middle, and wraps none."""

from __future__ import annotations

import bpy

_SIDEBAR = 220.0  # default width of a sidebar, in pixels at scale 1
_PADDING = 8.0  # around the text of a label
_MARGINS = 46.0  # its tabs, and the margins of panels


def panel_width() -> float:
    """Return the width of the content of the panel that is drawn, in pixels at scale 1."""
    region, scale = bpy.context.region, bpy.context.preferences.system.ui_scale or 1.0
    return (region.width / scale if region is not None and region.width > 1 else _SIDEBAR) - _MARGINS


def text_width(text: str) -> float:
    """Return the width of a text in the font of the interface, in pixels at scale 1."""
    import blf

    blf.size(0, bpy.context.preferences.ui_styles[0].widget.points)
    return float(blf.dimensions(0, text)[0])


def shortened(text: str, width: float) -> str:
    """Return a text, cut at its end if it is wider than some pixels."""
    if text_width(text) <= width:
        return text
    while text and text_width(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def wrapped(text: str, reserved: float = 0.0) -> list[str]:
    """Return a text as lines that fit into the panel that is drawn, next to something of some width."""
    lines, width = [""], panel_width() - _PADDING - reserved
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
