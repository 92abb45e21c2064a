"""Kits, script entries and water for new levels."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .script_entry import ScriptEntry, entry_to_text
    from .water import WaterLook, find_water
else:
    __getattr__ = lazy_exports(__name__)
