"""Adds the reference to the pages of the site. MkDocs calls this."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

# MkDocs loads this file by itself.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from docs.reference import with_reference


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return what a page says, with its part of the reference."""
    path = os.environ.get("TOMB_RAIDER_REFERENCE")
    found = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    return with_reference(markdown, page.file.src_uri, found)
