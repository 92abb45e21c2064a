"""Values that the interface shows of a level's project."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bpy.types import Collection

_KEY, _PARTS, _SEARCH = "tr_project", "tr_project_parts", "tr_project_search"
_MISSING, _TARGET, _CINEMATIC = "tr_project_missing", "tr_project_target", "tr_project_cinematic"


def is_project(root: Collection) -> bool:
    """Return whether a level comes from a project."""
    return root.get(_KEY) is not None


def store(
    root: Collection,
    values: Mapping[str, str],
    parts: Mapping[str, str],
    search: str = "",
    missing: Mapping[str, str] | None = None,
) -> None:
    """Store what is shown of a level's project, and what finds its files.

    Args:
        values: by label.
        parts: the parts that only the project has, by their names.
        search: a folder in which missing files are searched.
        missing: the files that were not found, by their paths, with their uses.
    """
    root[_SEARCH] = search
    for key, content in ((_KEY, values), (_PARTS, parts), (_MISSING, missing or {})):
        root[key] = json.dumps(dict(content), ensure_ascii=False)


def details(root: Collection) -> dict[str, str]:
    """Return what is shown of a level's project, by label; empty for other levels, and if it is damaged."""
    return _loaded(root, _KEY)


def parts_of(root: Collection) -> dict[str, str]:
    """Return the parts that only a level's project has, by their names, as :func:`details`."""
    return _loaded(root, _PARTS)


def missing_of(root: Collection) -> dict[str, str]:
    """Return the files that the import of a level's project did not find, with their uses, by their paths."""
    return _loaded(root, _MISSING)


def search_folder(root: Collection) -> str:
    """Return the folder in which missing files of a level's project are searched, "" for none."""
    return _text(root, _SEARCH)


def store_target(root: Collection, name: str, *, cinematic: bool) -> None:
    """Store for what the project of a level was compiled, see :func:`target_of_project`."""
    root[_TARGET], root[_CINEMATIC] = name, cinematic


def target_of_project(root: Collection) -> tuple[str, bool]:
    """Return the target that was chosen for a level's project, and whether flybys become a cutscene.

    The target is a name, "" for that of the project.
    """
    return _text(root, _TARGET), bool(root.get(_CINEMATIC, False))


def _text(root: Collection, key: str) -> str:
    stored = root.get(key)
    return stored if isinstance(stored, str) else ""


def _loaded(root: Collection, key: str) -> dict[str, str]:
    stored = root.get(key)
    try:
        values = json.loads(stored) if isinstance(stored, str) else {}
    except (ValueError, RecursionError):
        return {}
    return {str(label): str(value) for label, value in values.items()} if isinstance(values, dict) else {}
