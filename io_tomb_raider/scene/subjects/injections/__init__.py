"""Edits of TRX in the block after a level's last section."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .edits import detail_of, label_of, subject_of
    from .properties import possible_properties
else:
    __getattr__ = lazy_exports(__name__)
