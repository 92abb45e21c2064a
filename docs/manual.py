"""Makes the short manual that the zip carries: the documentation as one plain HTML page.

    python -m docs.manual FOLDER REFERENCE

REFERENCE is what `python -m docs.reference` has written. It needs the package Markdown. The site, with search
and the library's reference, is made by MkDocs from the same pages (`python build.py site`).
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Container, Mapping
from pathlib import Path

import markdown
from markdown.extensions.toc import slugify

from .reference import with_reference

DOCS = Path(__file__).resolve().parent
# What only people who work on the extension read is not in Blender's folders.
_FOR_DEVELOPERS = frozenset(
    {
        "architecture.md",
        "testing.md",
        "library.md",
        "listing.md",
        "python.md",
        "python-hooks.md",
        "readers.md",
    }
)
# Only the site shows pictures, so that the zip stays small.
_PICTURES = re.compile(r"^!\[[^\n]*[/(]pictures/[^\n]*\n", re.MULTILINE)
_EXTENSIONS = ["tables", "fenced_code", "toc", "sane_lists", "md_in_html", "attr_list"]
# Ends of elements that the next element ends in HTML, too.
_ENDS = re.compile("</(?:p|li|td|th|tr|thead|tbody)>\n?")
_HEADING = re.compile(r'(<h[1-6]) id="([^"]+)"')
_LINK = re.compile(r'href="(?![a-z]+:)([^"#]*)(?:#([^"]*))?"')

_MANUAL = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tomb Raider Levels in Blender</title>
<style>
{style}</style>
</head>
<body>
<nav><a href="#{top}">Tomb Raider Levels in Blender</a></nav>
<main>
{chapters}
</main>
</body>
</html>
"""


def pages() -> list[Path]:
    """Return the pages of the manual, with the index first."""
    found = [path for path in sorted(DOCS.rglob("*.md")) if path.name not in _FOR_DEVELOPERS]
    return sorted(found, key=lambda path: path != DOCS / "index.md")


def write_manual(folder: Path, reference: Mapping[str, str]) -> Path:
    """Write the manual into a folder, which has nothing else afterwards, and return its file.

    Args:
        folder: where it goes.
        reference: by page, what the page says of the tools and settings of its subject.

    Raises:
        ValueError: a link leads nowhere.
    """
    chapters = {path: _chapter(path, reference) for path in pages()}
    anchors = set(re.findall(r' id="([^"]+)"', "".join(chapters.values())))
    for path, text in chapters.items():
        chapters[path] = _LINK.sub(lambda link, path=path: _link(path, link, anchors), text)  # type: ignore[misc]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    target = folder / "index.html"
    style = (DOCS / "manual.css").read_text(encoding="utf-8")
    body = _ENDS.sub("", "\n".join(chapters.values()))
    # Only links of the manual and of the extension lead to it: other headings need no anchors.
    targets, names = (
        set(re.findall('href="#([^"]+)"', body)),
        tuple(f"{chapter_id(path)}." for path in chapters),
    )
    body = _HEADING.sub(lambda tag: tag[1 if _is_unused(tag[2], targets, names) else 0], body)
    text = _MANUAL.format(style=style, top=chapter_id(DOCS / "index.md"), chapters=body)
    target.write_text(text, encoding="utf-8", newline="\n")
    return target


def _is_unused(anchor: str, targets: Container[str], chapters: tuple[str, ...]) -> bool:
    return anchor not in targets and anchor.startswith(chapters)


def chapter_id(path: Path) -> str:
    """Return the anchor of a page's chapter."""
    return "-".join(path.relative_to(DOCS).with_suffix("").parts)


def _chapter(path: Path, reference: Mapping[str, str]) -> str:
    text = _PICTURES.sub("", path.read_text(encoding="utf-8"))
    text = with_reference(text, path.relative_to(DOCS).as_posix(), reference)
    # Several pages have a heading "What is lost": anchors of headings begin with the chapter's.
    slugs = {"toc": {"slugify": lambda title, separator: f"{chapter_id(path)}.{slugify(title, separator)}"}}
    body = markdown.markdown(text, extensions=_EXTENSIONS, extension_configs=slugs)
    return f'<section id="{chapter_id(path)}">\n{body}\n</section>'


def _link(path: Path, link: re.Match[str], anchors: Container[str]) -> str:
    """Return a link within the manual. Pages that it does not have are plain words."""
    target, anchor = link.group(1), link.group(2)
    if Path(target).name in _FOR_DEVELOPERS:
        return f'data-href="{target}"'
    chapter = chapter_id((path.parent / target).resolve() if target else path)
    places = [f"{chapter}.{anchor}", anchor] if anchor else [chapter]
    for place in places:
        if place in anchors:
            return f'href="#{place}"'
    raise ValueError(f"{path.name}: the link {link.group()} leads nowhere")


if __name__ == "__main__":
    write_manual(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
