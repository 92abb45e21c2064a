"""Check for sounds that animations play and the level lacks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...base.messages import T, plural
from ...base.targets import Target
from ...levels.animations.animations import EVENT_NUMBER, PLAY_SOUND, animation_models, decode_commands
from ...levels.level.level import Level
from ...levels.sounds.silence import is_refused
from ...levels.views.decoded import Decoded
from ...levels.views.findings import THE_LEVEL, Element, Finding, Severity

_NAMED = 8


def check_sounds(checked: Decoded) -> Iterator[Finding]:
    """Find models of entities whose animations play sounds, all of which are missing.

    Original levels lack some sounds of nearly every model, so single missing sounds are ignored.
    """
    level = checked.level
    if not level.has("sound_details"):
        return
    edits = () if checked.target is Target.ORIGINAL else checked.sounds_for_trx or ()
    for_trx = {record["sound"] for record in edits}
    refused = checked.target is not Target.TRX and not for_trx and is_refused(level)
    if refused or (len(level.rooms) and not for_trx and not (level.sound_map >= 0).any()):
        effect = T("the original game refuses to load it") if refused else T("all of it is silent")
        text = T(
            "the level has no sounds, so {effect}. Start with a kit with sounds, or add some", effect=effect
        )
        yield Finding("no sounds", Severity.WARNING, THE_LEVEL, text)
        return
    placed = set(level.entities["type"].tolist())
    for model, played in sorted(_played(level).items()):
        missing = sorted(each for each in played if each not in for_trx and not _has(level.sound_map, each))
        if model not in placed or len(missing) < len(played):
            continue
        numbers = ", ".join(map(str, missing[:_NAMED]))
        text = plural(
            "its animations play the sound {names}, which the level does not have",
            "its animations play {count} sounds that the level does not have: {names}",
            len(missing),
            names=numbers + (", …" if len(missing) > _NAMED else ""),
        )
        yield Finding("missing sounds", Severity.WARNING, Element("model", model), text, count=len(missing))


def _played(level: Level) -> dict[int, set[int]]:
    """Return the sounds that the animations of each model play, by its id."""
    owners = animation_models(level.models, level.animations)
    stream = level.animation_commands.astype(np.int16)
    result: dict[int, set[int]] = {}
    # Commands have different lengths, so each is found from the one before.
    for number in np.flatnonzero((level.animations["commands"] > 0) & (owners >= 0)).tolist():
        record = level.animations[number]
        for each in decode_commands(stream, int(record["first_command"]), int(record["commands"])):
            if each.type == PLAY_SOUND:
                model = int(level.models["id"][owners[number]])
                result.setdefault(model, set()).add(EVENT_NUMBER.of(each.operands[1]))
    return result


def _has(sound_map: NDArray[np.int16], sound: int) -> bool:
    return 0 <= sound < len(sound_map) and int(sound_map[sound]) >= 0
