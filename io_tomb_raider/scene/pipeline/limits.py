"""Limits of the engine that an exported level is for."""

from __future__ import annotations

from ...formats import ExportError
from ...formats.checks.findings import THE_LEVEL, Element, Severity
from ...formats.checks.limits import STATIC_MESHES, check_limits
from ...formats.level.decoded import Decoded
from ..core.context import ExportContext
from ..subjects.rooms.where import WHEREABOUTS


def check_exported(context: ExportContext) -> None:
    """Warn of numbers of elements that the target has no room for, unless the original has as many.

    Raises:
        ExportError: if the target refuses such a level.
    """
    plan = WHEREABOUTS.of(context).plan
    known = {(each.check, each.obj): each.count for each in check_limits(context.decoded)}
    for finding in check_limits(Decoded(context.level, context.target)):
        obj, name = finding.obj, context.root.name
        if obj != THE_LEVEL:
            name, obj = plan.name(obj.number), Element(obj.kind, plan.sources[obj.number])
        if finding.count <= known.get((finding.check, obj), 0):
            continue
        if finding.severity is Severity.ERROR:
            raise ExportError(name, finding.text)
        if finding.check != STATIC_MESHES:  # their export names each
            context.report.warn(name, finding.text)
