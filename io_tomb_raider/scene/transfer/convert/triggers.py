"""Triggers of a converted level: what sets them off, and what they do, in the words of the game."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from bpy.types import Object

from ....catalogue import names
from ....catalogue.equivalents import equivalent
from ....formats.converting.triggers import flips_rooms, knows_action, timer_of, trigger_type
from ....formats.floor.functions import ActionType, TriggerType
from ...subjects.triggers.unset import NO_EXTRA, NO_NUMBER, NO_SOURCE
from ...subjects.triggers.values import CAMERA_ACTIONS, ENTITY_ACTIONS, refers
from .conversion import Conversion

_WITH_EXTRA = CAMERA_ACTIONS | {int(ActionType.FLYBY)}


def convert_triggers(
    conversion: Conversion, gone: Container[Object], flip_group: int | None, *, has_trng: bool
) -> None:
    """Convert all triggers; those that nothing sets off any more, or that do nothing any more, go.

    Args:
        conversion: of the level.
        gone: entities that the level does not have any more.
        flip_group: the only group of rooms that flips in the game, None where all groups do.
        has_trng: whether triggers are to be read as TRNG does.
    """
    _Triggers(conversion, gone, flip_group, has_trng).run()


class _Triggers:
    def __init__(
        self, conversion: Conversion, gone: Container[Object], flip_group: int | None, has_trng: bool
    ) -> None:
        self.conversion, self.gone = conversion, gone
        self.flip_group, self.has_trng = flip_group, has_trng
        self.lost: dict[str, list[str]] = {}
        self.removed: list[Object] = []
        self.tracks: set[int] = set()

    def run(self) -> None:
        for thing in self.conversion.things("TRIGGER"):
            text = self._convert(thing)
            if text:
                self._tell(f"left out: {text}", thing.name)
                self.removed.append(thing)
        for text, found in self.lost.items():
            self.conversion.lose("Triggers", found, text)
        if self.tracks:
            numbers = ", ".join(map(str, sorted(self.tracks)))
            text = f"tracks are numbered otherwise in this game: choose others for {numbers}"
            self.conversion.report.warn("Triggers", text)
        self.conversion.remove(self.removed)

    def _tell(self, text: str, name: str) -> None:
        self.lost.setdefault(text, []).append(name)

    def _convert(self, thing: Object) -> str:
        """Convert a trigger; return why it is to be left out, "" where it stays."""
        settings, target = thing.tomb_raider.trigger, self.conversion.target
        if self.has_trng and settings.type == TriggerType.MONKEY:
            return "only TRNG has conditions"
        needs_source = refers(settings.type) and settings.raw_source != NO_SOURCE
        if needs_source and (settings.source is None or settings.source in self.gone):
            return "what sets it off is not there any more"
        near = trigger_type(int(settings.type), target)
        if near.type is None:
            return f"triggers of this game are not set off by {self._called(settings.type)}"
        if near.lost:
            self._tell(f"set off {near.lost}", thing.name)
        settings.type = near.type
        settings.timer = timer_of(int(settings.timer), self.conversion.source, target)
        settings.rest = settings.setup_rest = settings.source_rest = 0
        had = len(settings.actions)
        for place in reversed(range(had)):
            text = self._act(thing, settings.actions[place])
            if text:
                self._tell(text, thing.name)
                settings.actions.remove(place)
        settings.active_action = 0
        return "nothing is left of what it does" if had and not len(settings.actions) else ""

    def _called(self, number: int) -> str:
        return names(self.conversion.source).trigger(int(number)).lower()

    def _act(self, thing: Object, action: Any) -> str:
        """Convert one action; return what is lost with it where it goes, "" where it stays."""
        target = self.conversion.target
        kind = int(action.type)
        called = names(self.conversion.source).action(kind)
        if not knows_action(kind, target):
            return f"this game does not know the action {called}, which is lost in"
        if kind in ENTITY_ACTIONS or kind in CAMERA_ACTIONS:
            if action.target is None or action.target in self.gone:
                return f"what the action {called} is for is not there any more, so it is lost in"
            action.raw_target = NO_NUMBER
        if kind not in _WITH_EXTRA:
            if self.has_trng and kind in (ActionType.FLIPEFFECT, ActionType.CLEAR_BODIES):
                return f"only TRNG knows this action {called}, which is lost in"
            action.extra = NO_EXTRA
        action.stray_end = False
        return self._number(action, kind, called)

    def _number(self, action: Any, kind: int, called: str) -> str:
        source, target = self.conversion.source, self.conversion.target
        if kind == ActionType.FLIPEFFECT:
            known = equivalent("flipeffect", int(action.number), source, target)
            if known is None:
                name = names(source).flipeffect(int(action.number))
                return f"this game does not know the effect {name}, which is lost in"
            action.number = known.number
        elif kind == ActionType.SOUNDTRACK:
            self.tracks.add(int(action.number))
        elif kind == ActionType.SECRET and not target.traits.has_secret_action:
            return "secrets of this game are things to be picked up, so these are lost in"
        elif flips_rooms(kind):
            if self.flip_group is not None and action.number != self.flip_group:
                return "only one group of rooms flips in this game, so others are lost in"
            if target.traits.has_flip_groups and not source.traits.has_flip_groups:
                action.number = 0
        elif kind == ActionType.END_LEVEL and (
            target.traits.has_flip_groups and not source.traits.has_flip_groups
        ):
            text = "this game has to be told which level comes next: choose its number in"
            self._tell(text, called)
        return ""
