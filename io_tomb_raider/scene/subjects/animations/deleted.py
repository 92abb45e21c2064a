"""Animations whose actions were deleted.

The games refer to animations by number. So an animation is only deleted if it is the last of its model and no
transition refers to it; otherwise it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from bpy.types import Action

from ....formats.base import T
from ...core.context import ExportContext
from ..models.read import Rig
from .changes.references import AnimationReferences
from .changes.state_changes import rows_of
from .settings import SettingsExport


class DeletedActions:
    """Search for animations that can be deleted, with warnings of those that are kept."""

    def __init__(
        self,
        context: ExportContext,
        settings: SettingsExport,
        references: AnimationReferences,
        acting: Mapping[int, Action],
    ) -> None:
        """Store the context; ``acting`` has the exported action of each animation by index."""
        self._original = context.original
        self._were_imported = "ANIMATIONS" in context.root.tomb_raider.imported
        self._settings = settings
        self._references = references
        self._acting = acting
        self._report = context.report

    def of(self, rig: Rig, own: range, olds: Mapping[int, Action]) -> list[int]:
        """Return the animations of a model to delete, and warn of those that are kept without an action."""
        missing = [index for index in own if index not in olds]
        if not missing:
            return []
        rows = rig.armature.tomb_raider.model.animations
        deletable: list[int] = []
        while missing and missing[-1] == own.stop - 1 - len(deletable) and len(rows) >= len(own):
            if rows[missing[-1] - own.start].action is not None:
                break
            deletable.append(missing.pop())
        if len(deletable) == len(own):
            missing, deletable = deletable, []
        while deletable:
            users = (user for index in deletable for user in self._users.get(index, ()))
            if all(user in deletable for user in users):
                break
            missing.append(deletable.pop())
        for index in sorted(missing):
            number = index - own.start
            if not self._had_action(rig, number):
                continue
            text = T(
                "the action of its animation {number} was deleted, but the animation is kept, since "
                "games use the number",
                number=number,
            )
            self._report.warn(rig.name, text)
        return deletable

    def _had_action(self, rig: Rig, number: int) -> bool:
        """Return whether the scene had an action for an animation of a model, by its number there.

        It had none if animations were not imported. In copies of a level the original's action has this role,
        and in models of other levels an action that is an animation of its own.
        """
        rows = rig.armature.tomb_raider.model.animations
        action = rows[number].action if number < len(rows) else None
        if action is None:  # deleted; older scenes have no list
            return number < len(rows) if len(rows) else self._were_imported
        is_twin = self._references.twin_of(action) is not None
        return not is_twin and action.tomb_raider.model != rig.armature

    @cached_property
    def _users(self) -> dict[int, list[int]]:
        """The animations that still refer to each animation by number.

        Actions refer to other actions. Only animations without an action, and actions that the deleted
        animation followed, still refer to it.
        """
        original = self._original
        result: dict[int, list[int]] = {}
        for index, target in enumerate(original.animations["next_animation"].tolist()):
            targets = {target}
            if index in self._acting:
                targets = self._settings.remaining_targets(self._acting[index], index)
            else:
                targets |= {row.target for row in rows_of(original, index) if isinstance(row.target, int)}
            for number in targets:
                result.setdefault(number, []).append(index)
        return result
