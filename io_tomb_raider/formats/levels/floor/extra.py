"""Bit fields of the extra word of camera and flyby actions (documentation, chapter 4.6).

Properties of triggers use them, so this module loads nothing else when Blender starts.
"""

from __future__ import annotations

from ...base.bytes.bits import Bits

EXTRA_TIMER = Bits(0, 8)
EXTRA_ONCE = Bits(8)
EXTRA_MOVE = Bits(9, 5)
