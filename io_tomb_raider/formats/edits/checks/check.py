"""All checks of a level, and comparison of findings with those of the original."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...levels.level.level import Level
from ...levels.views.decoded import Decoded
from ...levels.views.findings import Check, Element, Finding, Severity, run_checks
from ..injections.readers import check_block
from ..rules.limits import check_limits
from ..rules.rules import check_readers
from .damage import check_extents, check_laras, check_rings
from .floors import check_floors
from .inhabitants import check_entities, check_shine, check_static_meshes
from .references import check_references
from .rooms import (
    check_alternates,
    check_facing,
    check_negative_places,
    check_water,
    check_water_schemes,
)
from .sounds import check_sounds
from .triggers import check_looks, check_triggers
from .ways import check_doubled, check_openings, check_portals, check_reach

CHECKS: tuple[Check, ...] = (
    check_limits,
    check_block,
    check_references,
    check_entities,
    check_shine,
    check_static_meshes,
    check_sounds,
    check_triggers,
    check_portals,
    check_doubled,
    check_openings,
    check_reach,
    check_floors,
    check_facing,
    check_water,
    check_alternates,
    check_water_schemes,
    check_laras,
    check_rings,
    check_extents,
    check_readers,
)

# Checks of edits: original levels have such findings, too, and play.
NEW_ONLY: tuple[Check, ...] = (check_negative_places, check_looks)


def check_level(level: Level | Decoded, more: Sequence[Check] = ()) -> list[Finding]:
    """Return all findings of a level; none for files of textiles only.

    Args:
        more: checks that need more than the file, such as the names of its entities' types.

    Raises:
        FormatError: if floor data or meshes are too damaged to be checked.
    """
    decoded = level if isinstance(level, Decoded) else Decoded(level)
    if not decoded.level.has("models"):
        return []
    _ = decoded.floor_lists  # raises for damaged lists, which sectors ignore
    return run_checks(decoded, (*CHECKS, *more))


def weigh(
    findings: Sequence[Finding], old: Sequence[Finding], origin: Callable[[Element], Element | None]
) -> list[Finding]:
    """Return findings, in which those that the original has, too, are only information.

    Args:
        old: the findings of the level that it was made from.
        origin: returns the element there for an element here, None for new ones.
    """
    old_counts: Counter[tuple[str, Element, tuple[Element, ...]]] = Counter()
    for each in old:
        old_counts[each.check, each.obj, each.others] += each.count

    def is_old(finding: Finding) -> bool:
        objects = [each for each in map(origin, (finding.obj, *finding.others)) if each is not None]
        if len(objects) <= len(finding.others):
            return False
        return finding.count <= old_counts[finding.check, objects[0], tuple(objects[1:])]

    return [replace(each, severity=Severity.INFO) if is_old(each) else each for each in findings]
