"""Injections of TRX: edits that the engine makes in a level when it loads it.

They are files next to a level, or a block after a level's last section, as Tomb Editor writes it.
"""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .block import put_block, put_names, read_block
    from .fields import ROOM_PROPERTIES
    from .files import INJECTION_SUFFIXES, content, is_injection, read_injection
    from .flybys import flyby_edits
    from .kinds import BlockId
    from .pages import page_records
    from .properties import Properties, PropertyType, put_properties
    from .rooms import MOST_GROUP, edit_of, with_edit
    from .sectors import edits_of, native_sectors, needs_edits, renumbered, with_edits
    from .sounds import WAVES, LevelSounds, sound_record
    from .trxj import Injection
else:
    __getattr__ = lazy_exports(__name__)
