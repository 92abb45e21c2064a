"""Times of exports of a level whose Lara has a control rig, beside those without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bpy.types import Collection, Object

from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.scene.authoring.control_rig import choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.authoring.control_rig.match import RigAtRest, rig_actions, switch_off
from io_tomb_raider.scene.authoring.control_rig.parts import figure_of
from io_tomb_raider.scene.core.subjects import Kind
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.transfer.adoption.reconciling import reconcile

from .scenes import empty_file
from .timing import Times

_EXPORTS = 3  # each time is that of the fastest


def measure_control_rig(path: Path, runs: int) -> dict[str, Any]:
    """Measure exports of one level, each run in a new, empty file.

    Returns:
        ``times``: medians in seconds: ``plain`` export, that with a ``rig`` which no animation uses, with one
            animation ``matched`` to its controls, and with ``all`` of them. ``beside``: the times as
            multiples of the plain one. ``animations``: how many Lara has. Empty for a level without any.
    """
    times = Times()
    for _ in range(runs):
        empty_file()
        root = import_level(path).root
        model = _lara(root)
        if model is None:
            return {}
        _note_export(root, "plain", times)
        figure = figure_of(model)
        add_rig(figure, *choice.recognized(model))
        rig = RigAtRest.of(figure[-1])
        actions = rig_actions(model)
        switch_off(rig.armature, actions, rig.limbs)
        _note_export(root, "rig", times)
        rig.match(actions[:1])
        _note_export(root, "matched", times)
        rig.match(actions)
        _note_export(root, "all", times)
    return {"times": times.medians(), "beside": times.beside("plain"), "animations": len(actions)}


def _lara(root: Collection) -> Object | None:
    for obj in root.all_objects:
        settings: Any = obj.tomb_raider
        if settings.kind == Kind.MODEL and settings.model.id == LARA and settings.model.animations:
            return obj
    return None


def _note_export(root: Collection, name: str, times: Times) -> None:
    def export() -> None:
        reconcile(root)  # as the operator does
        export_level(root).level.to_bytes()

    alone = Times()
    for _ in range(_EXPORTS):
        alone.take(name, export)
    times.note(name, alone.least()[name])
