"""Asset catalogs: the file ``blender_assets.cats.txt`` next to the .blend files of a library.

The UUID of a catalog is derived from its path, so all files of a library agree. An existing UUID in the
library's file has priority.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from uuid import NAMESPACE_URL, UUID, uuid5

from ...formats.base import plain_text, read_file, replace_file

FILE = "blender_assets.cats.txt"
_HEAD = b"""\
# This is an Asset Catalog Definition file for Blender.
#
# Empty lines and lines starting with `#` will be ignored.
# The first non-ignored line should be the version indicator.
# Other lines are of the format "UUID:catalog/path/for/assets:simple catalog name"

VERSION 1
"""
_SPACE = uuid5(NAMESPACE_URL, "io_tomb_raider")
_LONGEST = 63  # bytes: the limit of Blender for simple names


def catalog_path(*parts: str) -> str:
    """Return the path of a catalog, with special characters in its parts replaced."""
    return "/".join(_plain(part) for part in parts if _plain(part))


def _plain(part: str) -> str:
    return " ".join(
        "".join("-" if each in "/\\:" or not each.isprintable() else each for each in part).split()
    )


def catalog_id(path: str) -> str:
    """Return the UUID of a new catalog."""
    return str(uuid5(_SPACE, path))


def read_catalogs(folder: Path) -> dict[str, str]:
    """Return the UUIDs of a library's catalogs by path; empty without a file.

    Raises:
        OSError: if the file cannot be read.
    """
    file = folder / FILE
    if not file.is_file():
        return {}
    result: dict[str, str] = {}
    for line in plain_text(read_file(file)).splitlines():
        number, _, rest = line.strip().partition(":")
        path = rest.partition(":")[0].strip()
        if path and _is_number(number):
            result.setdefault(path, number)
    return result


def write_catalogs(folder: Path, wanted: Mapping[str, str] | Iterable[str]) -> None:
    """Add catalogs and their parents to the file of a library; its other content stays.

    Blender would add missing parents automatically, as an unsaved change.

    Args:
        wanted: their paths, or their UUIDs by path.

    Raises:
        OSError: if the file cannot be read or written.
    """
    ids = dict(wanted) if isinstance(wanted, Mapping) else {path: catalog_id(path) for path in wanted}
    ids = {**{parent: catalog_id(parent) for path in ids for parent in _parents_of(path)}, **ids}
    existing, file = read_catalogs(folder), folder / FILE
    lines = [
        f"{identifier}:{path}:{_simple(path)}"
        for path, identifier in sorted(ids.items())
        if path not in existing
    ]
    if not lines:
        return
    content = read_file(file) if file.is_file() else _HEAD + b"\n"
    if not content.endswith(b"\n"):
        content += b"\n"
    replace_file(file, content + "\n".join(lines).encode() + b"\n")


def _parents_of(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _simple(path: str) -> str:
    return path.replace("/", "-").encode()[-_LONGEST:].decode(errors="ignore")


def _is_number(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
