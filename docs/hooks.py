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
    """Return the text of a page with its part of the reference; hide the sidebars of the first page."""
    path = os.environ.get("TOMB_RAIDER_REFERENCE")
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation", "toc"]  # so that it fits on a screen
    found = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    return with_reference(markdown, page.file.src_uri, found)
