"""Exports like those of the operators."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection

from io_tomb_raider.formats import Level
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.core.reporting.results import ExportResult
from io_tomb_raider.scene.pipeline import exporter
from io_tomb_raider.scene.transfer.adoption.reconciling import reconcile


def export_result(root: Collection, *, report: Report | None = None, **options: Any) -> ExportResult:
    """Reconcile a level and export it."""
    report = Report() if report is None else report
    reconcile(root, report)
    return exporter.export_level(root, report=report, **options)


def export_level(root: Collection, **options: Any) -> tuple[Level, Report]:
    """Reconcile a level and export it; return the level and the warnings of both."""
    result = export_result(root, **options)
    return result.level, result.report
