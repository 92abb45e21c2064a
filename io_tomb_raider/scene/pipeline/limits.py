"""Limits of the engine that an exported level is for."""

from __future__ import annotations

from ...formats import ExportError
from ...formats.edits.checks import check_originals
from ...formats.edits.rules import STATIC_MESHES, check_limits
from ...formats.levels.views import Decoded, Element, Severity
from ..core.context import ExportContext
from ..core.stages import ENTITY_NUMBERS
from ..core.subjects import Kind
from ..subjects.rooms.location.where import WHEREABOUTS


def check_exported(context: ExportContext) -> None:
    """Warn of numbers of elements that the target has no room for, unless the original has as many.

    Raises:
        ExportError: if the target refuses such a level.
    """
    plan = WHEREABOUTS.of(context).plan
    entities = {number: obj.name for obj, number in ENTITY_NUMBERS.of(context).of.items()}
    models = {obj.tomb_raider.model.id: obj.name for obj in context.level_objects.of({Kind.MODEL})}
    exported = Decoded(context.level, context.target)
    known = {(each.check, each.obj): each.count for each in check_limits(context.decoded)}
    for finding in (*check_limits(exported), *check_originals(exported)):
        obj, name = finding.obj, context.root.name
        if obj.kind == "room" and 0 <= obj.number < len(plan.sources):
            name, obj = plan.name(obj.number), Element(obj.kind, plan.sources[obj.number])
        elif obj.kind == "entity":
            name = entities.get(obj.number, name)
        elif obj.kind == "model":
            name = models.get(obj.number, name)
        if finding.count <= known.get((finding.check, obj), 0):
            continue
        if finding.severity is Severity.ERROR:
            raise ExportError(name, finding.text)
        if finding.check != STATIC_MESHES:  # their export names each
            context.report.warn(name, finding.text)
