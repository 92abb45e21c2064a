"""What becomes of animations whose actions were deleted.

Games know animations by number. So an animation is deleted only where it is the last of its model and nothing
leads to it; else it stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from bpy.types import Action

from ...core.context import ExportContext
from ..models.read import Rig
from .references import AnimationReferences
from .settings import SettingsExport
from .state_changes import rows_of


class DeletedActions:
    """Finds the animations that can be deleted, and says which stay."""

    def __init__(
        self,
        context: ExportContext,
        settings: SettingsExport,
        references: AnimationReferences,
        acting: Mapping[int, Action],
    ) -> None:
        """``acting`` are the actions by index of the animation that they are written as."""
        self._original = context.original
        self._were_imported = "ANIMATIONS" in context.root.tomb_raider.imported
        self._settings = settings
        self._references = references
        self._acting = acting
        self._report = context.report

    def of(self, rig: Rig, own: range, olds: Mapping[int, Action]) -> list[int]:
        """Return the animations of a model to delete, and warn of those that stay without an action.

        Args:
            rig: the model.
            own: its animations.
            olds: its actions by index of the animation.
        """
        missing = [index for index in own if index not in olds]
        if not missing:
            return []
        known = rig.armature.tomb_raider.model.animations
        deletable: list[int] = []
        while missing and missing[-1] == own.stop - 1 - len(deletable) and len(known) == len(own):
            if known[missing[-1] - own.start].action is not None:
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
            if not self._was_there(rig, number):
                continue
            text = (
                f"its animation {number} has no action any more, but stays: games know animations by number"
            )
            self._report.warn(rig.name, text)
        return deletable

    def _was_there(self, rig: Rig, number: int) -> bool:
        """Tell whether the scene had an action for an animation of a model, by its number there.

        It had none where animations were not imported. In copies of a level the action that was not copied
        stands for it, and in models of other levels one that is an animation of its own.
        """
        known = rig.armature.tomb_raider.model.animations
        action = known[number].action if number < len(known) else None
        if action is None:  # deleted; older scenes have no list
            return number < len(known) if len(known) else self._were_imported
        is_twin = self._references.twin_of(action) is not None
        return not is_twin and action.tomb_raider.model != rig.armature

    @cached_property
    def _users(self) -> dict[int, list[int]]:
        """For every animation which ones still lead to it by its number.

        An action leads to other actions. What was deleted is led to by what has no action itself, and by
        actions that it followed.
        """
        original = self._original
        found: dict[int, list[int]] = {}
        for index, target in enumerate(original.animations["next_animation"].tolist()):
            targets = {target}
            if index in self._acting:
                targets = self._settings.leads_to(self._acting[index], index)
            else:
                targets |= {row.target for row in rows_of(original, index) if isinstance(row.target, int)}
            for each in targets:
                found.setdefault(each, []).append(index)
        return found
