"""Lara's moves in another game.

The engines play her animations by number. Where a level has fewer than its new game knows, the missing ones
are copies of her standing animation, as she would otherwise move like another model.
"""

from __future__ import annotations

from typing import Any

from bpy.types import Action

from ....catalogue import names
from ....formats.games import LARA
from ...core.compat import LONGEST_NAME
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .transfer import actions_of
from .transitions import set_next

_STANDING = 103  # her animation, in all games


def fill_moves(transfer: Transfer) -> None:
    """Add animations in which Lara stands for those that the engine knows and the level does not have."""
    lara = next((each for each in transfer.objects(Kind.MODEL) if each.tomb_raider.model.id == LARA), None)
    if lara is None:
        return
    actions = actions_of(lara)
    wanted = max(names(transfer.target).known("animation", LARA), default=-1) + 1
    if not _STANDING < len(actions) < wanted:
        return
    standing, first = actions[_STANDING], int(actions[-1].tomb_raider.index) + 1
    called = names(transfer.target)
    for number in range(len(actions), wanted):
        _stand(lara, standing, called.animation(LARA, number), number, first + number)
    text = f"her {wanted - len(actions)} moves that only {transfer.target.name} has are missing, and she"
    transfer.report.warn(lara.name, f"{text} stands still instead: convert with a kit to have them")


def _stand(lara: Any, standing: Action, name: str, number: int, index: int) -> None:
    action: Any = standing.copy()
    action.name = f"{lara.name} {number:03} {name}"[:LONGEST_NAME]
    lara.tomb_raider.model.animations.add().action = action
    settings = action.tomb_raider
    settings.index = index
    set_next(action, standing)
    settings.dispatches.clear()
