"""Lara's animations in another game.

The engines play her animations by number. If a level has fewer than its new game uses, the missing ones
become copies of her standing animation; otherwise the engine would play another model's animations.
"""

from __future__ import annotations

from typing import Any

from ....catalogue import names
from ....formats.base import LARA, T
from ....formats.edits.rules import needs
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .changes.transitions import Transitions, set_next, set_target
from .names import action_name
from .showing import own_animations

_STANDING = 103  # the number of her animation, in all games


def keep_known_states(transfer: Transfer) -> None:
    """Lead Lara's animations only to states that the target game knows.

    An engine calls the code of a state by its number, so an unknown one calls code beyond the table. From TR3
    on, the animation in which she hangs down has such a state, and gets TR2's. Other animations with unknown
    states stay, but no animation that the engine plays continues with them: it ends standing instead.
    """
    lara = next((each for each in transfer.objects(Kind.MODEL) if each.tomb_raider.model.id == LARA), None)
    actions = [] if lara is None else own_animations(lara)
    if len(actions) <= max(needs.HANG_START, needs.HANG, _STANDING):
        return
    states, standing = needs.STATES[transfer.target], actions[_STANDING]
    settings = actions[needs.HANG_START].tomb_raider
    if settings.state >= states:
        settings.state, settings.next_frame = needs.HANG_STATE, needs.HANG_FRAME
        set_next(actions[needs.HANG_START], actions[needs.HANG])
    transitions = Transitions()
    waiting = actions[: needs.LARAS_ANIMATIONS[transfer.target]]
    reached = set(waiting)
    while waiting:
        action = waiting.pop()
        following = transitions.next(action)
        if following is not None and following.tomb_raider.state >= states:
            set_next(action, standing)
            action.tomb_raider.next_frame = 0
            following = standing
        targets = [following]
        for row, target in zip(action.tomb_raider.dispatches, transitions.targets(action), strict=True):
            if row.state < states and target is not None:
                if target.tomb_raider.state >= states:
                    set_target(row, standing)
                    row.frame, target = 0, standing
                targets.append(target)
        new = {each for each in targets if each is not None} - reached
        reached |= new
        waiting += new


def fill_moves(transfer: Transfer) -> None:
    """Add copies of Lara's standing animation for animations that the engine uses and the level lacks."""
    lara = next((each for each in transfer.objects(Kind.MODEL) if each.tomb_raider.model.id == LARA), None)
    if lara is None:
        return
    actions = own_animations(lara)
    needed = max(names(transfer.target).known("animation", LARA), default=-1) + 1
    if not _STANDING < len(actions) < needed:
        return
    standing, first = actions[_STANDING], max(each.tomb_raider.index for each in actions) + 1
    catalogue = names(transfer.target)
    copy: Any = standing
    for number in range(len(actions), needed):
        # A copy of the first copy has its next action: to look that up again takes long.
        copy = copy.copy()
        if number == len(actions):
            set_next(copy, standing)
            copy.tomb_raider.dispatches.clear()
        copy.name = action_name(lara.name, number, catalogue.animation(LARA, number))
        copy.tomb_raider.index = first + number
        lara.tomb_raider.model.animations.add().action = copy
    text = T("she lacks {count} moves of {game}, and", count=needed - len(actions), game=transfer.target.name)
    transfer.report.warn(
        lara.name, T("{text} stands still instead: convert with a kit to include them", text=text)
    )
