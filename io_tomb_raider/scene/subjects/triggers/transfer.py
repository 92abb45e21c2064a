"""Transfer of triggers: types and actions."""

from __future__ import annotations

from typing import Any

from bpy.types import Object

from ....catalogue import names
from ....formats.base import T, as_message
from ....formats.edits.convert import flips_rooms, supports_action, timer_of, trigger_type
from ....formats.levels.floor import ActionType, TriggerType
from ...core.subjects import Kind
from ...core.targets import chosen_target
from ...core.transfer import Transfer
from .unset import NO_EXTRA, NO_NUMBER, NO_SOURCE
from .values import CAMERA_ACTIONS, ENTITY_ACTIONS, TARGET_ACTIONS, refers

_WITH_EXTRA = CAMERA_ACTIONS | {int(ActionType.FLYBY)}


def remap_triggers(transfer: Transfer) -> None:
    """Remap triggers; discard those that have lost their activator, or all of their actions."""
    _Triggers(transfer).run()


class _Triggers:
    def __init__(self, transfer: Transfer) -> None:
        self.transfer = transfer
        self.engine = chosen_target(transfer.root)
        self.lost: dict[str, list[str]] = {}
        self.tracks: set[int] = set()
        # Numbers without an object refer to the source level.
        self.needs_target = ENTITY_ACTIONS | CAMERA_ACTIONS if transfer.moved is None else TARGET_ACTIONS

    def run(self) -> None:
        removed: list[Object] = []
        for obj in self.transfer.objects(Kind.TRIGGER):
            text = self._remap(obj)
            if text:
                self._lose(T("left out: {note}", note=text), obj.name)
                removed.append(obj)
        for text, object_names in self.lost.items():
            self.transfer.lose(T("Triggers"), object_names, text)
        if self.tracks:
            numbers = ", ".join(map(str, sorted(self.tracks)))
            text = T("this game numbers tracks differently: choose others for {numbers}", numbers=numbers)
            self.transfer.report.warn(T("Triggers"), text)
        self.transfer.discard(removed)

    def _lose(self, text: str, name: str) -> None:
        self.lost.setdefault(text, []).append(name)

    def _remap(self, obj: Object) -> str:
        """Remap a trigger; return the reason to discard it, or ""."""
        settings, target = obj.tomb_raider.trigger, self.transfer.target
        if self.transfer.has_trng and settings.type == TriggerType.MONKEY:
            return T("only TRNG has conditions")
        if refers(settings.type) and settings.raw_source != NO_SOURCE:
            if not self.transfer.has(settings.source):
                return T("the object that sets it off is missing")
            settings.raw_source = NO_NUMBER
        if self.transfer.is_foreign:
            nearest = trigger_type(int(settings.type), target, self.engine)
            if nearest.type is None:
                type_name = names(self.transfer.source).trigger(int(settings.type)).lower()
                return T(
                    "triggers of this game are not set off by {type_name}", type_name=as_message(type_name)
                )
            if nearest.lost:
                self._lose(T("set off {lost}", lost=nearest.lost), obj.name)
            settings.type = nearest.type
            settings.timer = timer_of(int(settings.timer), self.transfer.source, target)
            settings.rest = settings.setup_rest = settings.source_rest = 0
        count = len(settings.actions)
        for index in reversed(range(count)):
            text = self._remap_action(settings.actions[index])
            if text:
                self._lose(text, obj.name)
                settings.actions.remove(index)
        settings.active_action = 0
        return T("it has no actions left") if count and not len(settings.actions) else ""

    def _remap_action(self, action: Any) -> str:
        """Remap an action; return the reason to remove it, or ""."""
        kind = int(action.type)
        action_name = names(self.transfer.source).action(kind)
        if not supports_action(kind, self.transfer.target, self.engine):
            return T(
                "this game does not have the action {action_name}, which is removed from",
                action_name=action_name,
            )
        if kind in self.needs_target:
            if not self.transfer.has(action.target):
                return T(
                    "the target of the action {action_name} is missing, so it is removed from",
                    action_name=action_name,
                )
            action.raw_target = NO_NUMBER
        if not self.transfer.is_foreign:
            return ""
        if kind not in _WITH_EXTRA:
            if self.transfer.has_trng and kind in (ActionType.FLIPEFFECT, ActionType.CLEAR_BODIES):
                return T(
                    "only TRNG has this action {action_name}, which is removed from", action_name=action_name
                )
            action.extra = NO_EXTRA
        action.stray_end = False
        return self._remap_number(action, kind, action_name)

    def _remap_number(self, action: Any, kind: int, action_name: str) -> str:
        source, target = self.transfer.source, self.transfer.target
        gets_groups = target.traits.has_flip_groups and not source.traits.has_flip_groups
        if kind == ActionType.FLIPEFFECT:
            number = self.transfer.number("flipeffect", int(action.number))
            if number is None:
                name = names(source).flipeffect(int(action.number))
                return T("this game does not have the effect {name}, which is removed from", name=name)
            action.number = number
        elif kind == ActionType.SOUNDTRACK:
            self.tracks.add(int(action.number))
        elif kind == ActionType.SECRET and not target.traits.has_secret_action:
            return T("secrets of this game are pickups, so these are removed from")
        elif flips_rooms(kind):
            flip_group = self.transfer.flip_group
            if flip_group is not None and action.number != flip_group:
                return T("only one group of rooms flips in this game, so others are removed from")
            if gets_groups:
                action.number = 0
        elif kind == ActionType.END_LEVEL and gets_groups:
            text = T("this game needs the number of the next level: choose it in these actions")
            self._lose(text, action_name)
        return ""
