"""Makes the short manual that the zip carries: each page of the documentation as plain HTML.

    python -m docs.manual FOLDER REFERENCE

REFERENCE is what `python -m docs.reference` has written. It needs the package Markdown. The site, with search
and the library's reference, is made by MkDocs from the same pages (`python build.py site`).
"""

from __future__ import annotations

import html
import json
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import markdown

from .reference import with_reference

DOCS = Path(__file__).resolve().parent
# What only people who work on the extension read is not in Blender's folders.
_FOR_DEVELOPERS = frozenset(
    {"architecture.md", "testing.md", "library.md", "listing.md", "python.md", "python-hooks.md"}
)
# Only the site shows pictures, so that the zip stays small.
_PICTURES = re.compile(r"^!\[[^\n]*[/(]pictures/[^\n]*\n", re.MULTILINE)
_EXTENSIONS = ["tables", "fenced_code", "toc", "sane_lists", "md_in_html", "attr_list"]
_LINK = re.compile(r'(href|src)="(?![a-z]+:|#)([^"#]*)(#[^"]*)?"')

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="{top}manual.css">
</head>
<body>
<nav><a href="{top}index.html">Tomb Raider Levels in Blender</a></nav>
<main>
{body}
</main>
</body>
</html>
"""


def pages() -> list[Path]:
    """Return the pages of the manual."""
    return [path for path in sorted(DOCS.rglob("*.md")) if path.name not in _FOR_DEVELOPERS]


def write_manual(folder: Path, reference: Mapping[str, str]) -> list[Path]:
    """Write the manual into a folder, which has nothing else afterwards. Returns its files.

    Args:
        folder: where it goes.
        reference: by page, what the page says of the tools and settings of its subject.
    """
    shutil.rmtree(folder, ignore_errors=True)
    made = []
    for path in pages():
        target = folder / path.relative_to(DOCS).with_suffix(".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page(path, reference), encoding="utf-8", newline="\n")
        made.append(target)
    made.append(Path(shutil.copy(DOCS / "manual.css", folder)))
    return made


def page(path: Path, reference: Mapping[str, str]) -> str:
    """Return a page as HTML, with links to the pages that the manual has; others are plain words."""
    text = _PICTURES.sub("", path.read_text(encoding="utf-8"))
    text = with_reference(text, path.relative_to(DOCS).as_posix(), reference)
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    body = markdown.markdown(text, extensions=_EXTENSIONS)
    body = _LINK.sub(lambda link: _link(path, link), body)
    depth = len(path.relative_to(DOCS).parts) - 1
    title = html.escape(heading.group(1)) if heading else path.stem
    return _PAGE.format(title=title, top="../" * depth, body=body)


def _link(path: Path, link: re.Match[str]) -> str:
    attribute, target, anchor = link.group(1), link.group(2), link.group(3) or ""
    if Path(target).name in _FOR_DEVELOPERS:
        return f'data-{attribute}="{target}"'
    return f'{attribute}="{re.sub(r"[.]md$", ".html", target)}{anchor}"'


if __name__ == "__main__":
    write_manual(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
