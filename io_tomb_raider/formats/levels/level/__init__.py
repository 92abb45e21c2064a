"""Whole level files: their sections by game, reading, writing, and the footer of tools (chapter 10)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .demo import DemoStart, demo_frames, demo_start, put_demo_start
    from .footer import ROOM_REMAP, footer_of, move_floor_data_plugins, move_room_flags, put_footer
    from .level import Level, SectionName, section_noun
    from .level_pages import height_page, page_count
else:
    __getattr__ = lazy_exports(__name__)
