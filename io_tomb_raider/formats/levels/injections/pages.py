"""Edits of an injection that are pixels of texture pages, in 32-bit color."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...base.schema.fields import Record
from ..textures.textiles import PAGE_SIZE, PageEdit
from .kinds import BlockId
from .trxj import Injection


def page_edits(injection: Injection | None, count: int) -> tuple[PageEdit, ...]:
    """Return the edits of an injection on a level's pages, in the order in which the engine applies them.

    Edits of pages beyond their count, and pixels beyond a page, are left out.
    """
    result = []
    for record in [] if injection is None else injection.records(BlockId.PAGE_EDITS):
        pixels = np.frombuffer(record["pixels"], np.uint8).reshape(record["height"], record["width"], 4)
        pixels = pixels[: PAGE_SIZE - record["y"], : PAGE_SIZE - record["x"]]
        if record["page"] < count and pixels.size:
            result.append(PageEdit(record["page"], record["x"], record["y"], pixels))
    return tuple(result)


def page_records(edits: Iterable[PageEdit]) -> list[Record]:
    """Return the records of edits."""
    return [
        {
            "page": edit.page,
            "x": edit.x,
            "y": edit.y,
            "width": edit.pixels.shape[1],
            "height": edit.pixels.shape[0],
            "pixels": edit.pixels.tobytes(),
        }
        for edit in edits
    ]
