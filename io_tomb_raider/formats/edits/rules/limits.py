"""Numbers of elements that an engine has no room for, and the engine that a level shows to be for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.messages import T
from ...base.targets import Limits, Target, limits_of
from ...levels.injections.trxj import MAGICS
from ...levels.level.level import Level
from ...levels.views.decoded import Decoded
from ...levels.views.findings import THE_LEVEL, Element, Finding, Severity

CHECK = "limit: "  # the names of all findings here begin with it
STATIC_MESHES = f"{CHECK}static_meshes"


def check_limits(checked: Decoded) -> Iterator[Finding]:
    """Find numbers of elements that the level's target has no room for."""
    return _exceeded(checked.level, target_of(checked))


def target_of(checked: Decoded) -> Target:
    """Return the target of a level: the given one, or what the level shows."""
    return checked.target or checked.once(_shown)


def _shown(checked: Decoded) -> Target:
    return shown_target(checked.level)


def shown_target(level: Level) -> Target:
    """Return TRX for levels with its data or with more than the original game has room for."""
    if not level.game.traits.has_trx or not level.has("models"):
        return Target.ORIGINAL
    has_block = level.has("footer") and level.footer[:4].tobytes() in MAGICS
    return Target.TRX if has_block or any(_exceeded(level, Target.ORIGINAL)) else Target.ORIGINAL


def _exceeded(level: Level, target: Target) -> Iterator[Finding]:
    limits, engine = limits_of(target, level.game), _engine(target)
    for field, noun, count in _counts(level):
        limit = getattr(limits, field)
        if limit is not None and count > limit:
            text = T(
                "there are {count:,} {what}, and {engine} supports {limit:,}",
                count=count,
                what=noun,
                engine=engine,
                limit=limit,
            )
            yield Finding(CHECK + field, _severity(limits, field), THE_LEVEL, text, count=count)
    limit, severity = limits.vertices, _severity(limits, "vertices")
    for number, room in enumerate(level.rooms):
        count = len(room.vertices)
        if limit is not None and count > limit:
            text = T(
                "it has {count:,} vertices, and {engine} supports {limit:,} in a room",
                count=count,
                engine=engine,
                limit=limit,
            )
            yield Finding(f"{CHECK}vertices", severity, Element("room", number), text, count=count)


def _engine(target: Target) -> str:
    return "TRX" if target is Target.TRX else T("the original game")


def _severity(limits: Limits, field: str) -> Severity:
    return Severity.ERROR if field in limits.refused else Severity.WARNING


def _counts(level: Level) -> Iterator[tuple[str, str, int]]:
    """Yield the counted fields of `Limits` with the words for their elements."""
    yield "rooms", "rooms", len(level.rooms)
    yield "entities", "entities", len(level.entities)
    yield "placements", T("static meshes in rooms"), sum(len(room.static_meshes) for room in level.rooms)
    yield "sprites", T("sprite pictures"), len(level.sprite_textures)
    yield "boxes", T("pathfinding boxes"), len(level.boxes)
    yield "object_textures", T("object textures"), len(level.object_textures)
    yield "static_meshes", T("static meshes up to the highest id"), _highest(level.static_meshes["id"])
    if level.has("flyby_cameras"):
        yield "flybys", T("flyby cameras"), len(level.flyby_cameras)
        highest = _highest(level.flyby_cameras["sequence"])
        yield "flyby_sequences", T("flyby sequences up to the highest number"), highest
    if level.has("sample_indices"):
        yield "samples", "samples", len(level.sample_indices)
    pages = level.textiles8 if level.game.traits.has_palette else level.textiles16
    yield "pages", T("texture pages"), len(pages)


def _highest(ids: np.ndarray) -> int:
    return int(ids.max()) + 1 if len(ids) else 0
