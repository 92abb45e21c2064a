"""Retargeting of an action of any armature to a model of a level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import Floats, T
from ....formats.levels.animations import matrices_from_quaternions
from ...core.membership import level_of
from ...core.reporting.progress import Work
from ...core.reporting.report import Report, first_few
from ...core.subjects import Kind
from ...subjects.animations.changes.layers import action_in_use
from ...subjects.animations.keys.key_poses import RestPose, read_key_poses
from ...subjects.animations.keys.stage import isolated_copy
from ...subjects.animations.names import action_name, name_in_model
from ...subjects.models.bones import is_actor
from ...subjects.models.editing import armature_of_model, posed_armature
from ...subjects.models.figures import drawn_for
from ..animation_tools.placing import play_from
from .fitting import Fit, match_bones, missing_bones, pairs_by_name, roles_by_pairs
from .keys import LOOSE, TIGHT, new_action, set_speeds, store_poses
from .paths import NO_SPEEDS, STILL, PathKind, PathSpeeds, scale_of, ways_of
from .retarget import (
    Contact,
    as_games_move,
    can_keep_contact,
    heading,
    height_climbed,
    keep_contact,
    on_floor,
    pose_target,
    turned,
)
from .sampling import Motion, Sampler, plain_name, rate_of, span_of, starts_at_rest
from .skeletons import Skeleton
from .stance import Forward, Rest, find_forward, take_stance


def animated_model(obj: Object | None) -> Object | None:
    """Return the armature whose animations an object shows: its model, or the one that it is drawn for.

    An actor of a cutscene has an action of its own.
    """
    armature = posed_armature(obj)
    if armature is None or is_actor(armature):
        return armature
    return drawn_for(armature) or armature


def animation_in_use(obj: Object | None, model: Object) -> Action | None:
    """Return the animation of a model that an object shows, or the action of an actor, or None."""
    if is_actor(model):
        return None if model.animation_data is None else model.animation_data.action
    armature = armature_of_model(obj)
    for each in (armature, model):
        action = action_in_use(each)
        if action is not None and action.tomb_raider.model == model:
            return action
    return None


def fill_bones(settings: Any, source: Object | None, model: Object) -> int:
    """List the bones of a model with those of a source that they probably follow; return how many have one.

    Args:
        settings: of the scene, see :class:`~...properties.actions.TombRaiderMotion`.
        source: the armature, None for a list without guesses.
        model: the armature of the model.
    """
    target = Skeleton.of(model)
    names = [""] * len(target.names)
    if source is not None:
        other = Skeleton.of(source)
        names = [other.names[pair] if pair >= 0 else "" for pair in match_bones(other, target).tolist()]
    settings.rows.clear()
    for bone, name in zip(target.names, names, strict=True):
        row = settings.rows.add()
        row.bone, row.source = bone, name
    return sum(map(bool, names))


def chosen_bones(settings: Any) -> dict[str, str]:
    """Return the listed names of a source's bones by those of the model."""
    return {row.bone: row.source for row in settings.rows if row.source}


_NAMED = 4
_SIDEWAYS = 64.0  # units
_OUT_OF_REACH = 4.0  # units
_AT_ONCE = 4  # actions of a step: they share a temporary copy of the source
_MOST_TICKS = 4000  # the frames of an animation are 16 bits, of all together much less


class NoBonesError(ExportError):
    """No bone of a skeleton was recognized."""


@dataclass
class RetargetOptions:
    """How to retarget a motion."""

    #: names of the source's bones by those of the model; None for a guess.
    names: Mapping[str, str] | None = None
    #: rest, rest_frame: the pose of the source that corresponds to the model's rest pose; a frame of the
    #: action.
    rest: Rest = Rest.AUTO
    rest_frame: int = 1
    up: Sequence[float] | None = None  #: the direction that is up in the source; None to find it.
    #: first, last: frames of the action to take; 0 and 0 for all.
    first: int = 0
    last: int = 0
    forward: Forward = Forward.AUTO  #: what becomes the direction forward.
    #: where the path forward goes; automatically a model of a level keeps its speeds, in proportion.
    path: PathKind = PathKind.SPEED
    size: float = 0.0  #: the size of the model by that of the source, 0 by their legs.
    rate: int = 0  #: ticks per key, 0 for as few keys as needed.
    frame_rate: float = 0.0  #: frames per second of the action, 0 for those of its scene.
    skips_rest: bool = True  #: leave out a first frame in rest pose.
    contact: bool = False  #: of models: keep feet on the floor, hands in reach, see :func:`keep_contact`.
    #: an animation of the model and a frame, whose pose corresponds to the source at rest; None for the
    #: model's own rest pose. Some models lie or are bent at rest.
    stance: tuple[Action, float] | None = None
    start: int = 0  #: the frame of the action of an actor of a cutscene from which on it does the motion.


@dataclass(eq=False)
class Brought:
    """A retargeted motion."""

    action: Action  #: the animation of the model.
    ticks: int  #: its length.
    speed: float  #: units per tick.
    size: float  #: the size of the model by that of the source.
    up: Floats  #: the direction that is up in the source, (3,).
    forward: Forward  #: what became the direction forward.
    bones: int  #: the number of bones of the model that follow the source.
    report: Report = field(default_factory=Report)  #: warnings.


@dataclass(frozen=True, eq=False)
class _Pairing:
    """A source and a model, and the bones of both that correspond."""

    source: Object
    model: Object
    options: RetargetOptions
    skeleton: Skeleton  #: of the source.
    target: Skeleton
    pairs: NDArray[np.int64]  #: the bone of the source for each of the model, -1 for none.
    report: Report

    @classmethod
    def of(cls, source: Object, model: Object, options: RetargetOptions) -> _Pairing:
        """Pair the bones of a source and a model. Raises ExportError if none match."""
        skeleton, target, report = Skeleton.of(source), Skeleton.of(model), Report()
        if options.stance is not None:
            target = _posed(target, model, *options.stance)
        pairs = _matched_bones(source, skeleton, model, target, options, report)
        skeleton = skeleton.with_roles(roles_by_pairs(pairs, target))
        return cls(source, model, options, skeleton, target, pairs, report)


class _Clip(NamedTuple):
    """The chosen frames of an action at the games' ticks."""

    motion: Motion
    posed: Skeleton | None  #: the source's skeleton in a chosen rest pose.
    report: Report


def retarget_action(
    source: Object,
    action: Action,
    model: Object,
    options: RetargetOptions,
    *,
    name: str = "",
    onto: Action | None = None,
) -> Brought:
    """Retarget an action of an armature to a model.

    Args:
        source: the armature.
        model: the armature of the model.
        options: how.
        name: of a new animation, by default that of the action.
        onto: an animation of the model that gets new keys, length and speed; by default a new one is made.
            An actor of a cutscene needs it: its action, with keys of all bones, of which others stay.

    Raises:
        ExportError: if no bones match, or the motion is too long.
    """
    pairing = _Pairing.of(source, model, options)
    return _bring(pairing, action, _clips(pairing, [action])[0], name, onto)


def retarget_all(
    source: Object, actions: Sequence[Action], model: Object, options: RetargetOptions
) -> Work[list[Brought]]:
    """Retarget several actions to new animations, as :func:`retarget_action` does, a few in each step.

    If it fails or is canceled, the model keeps none of them.
    """
    pairing, result = _Pairing.of(source, model, options), []
    rows: Any = model.tomb_raider.model.animations
    before = len(rows)
    try:
        for start in range(0, len(actions), _AT_ONCE):
            chosen = actions[start : start + _AT_ONCE]
            text = T("{done} of {count}: {name}", done=start, count=len(actions), name=chosen[0].name)
            yield text, start / len(actions)
            clips = _clips(pairing, chosen)
            result += [_bring(pairing, *each, "", None) for each in zip(chosen, clips, strict=True)]
    except BaseException:
        bpy.data.batch_remove([row.action for row in rows[before:]])
        while len(rows) > before:
            rows.remove(before)
        raise
    return result


def _bring(pairing: _Pairing, action: Action, clip: _Clip, name: str, onto: Action | None) -> Brought:
    source, model, options, target = pairing.source, pairing.model, pairing.options, pairing.target
    motion, report = clip.motion, clip.report
    if len(motion) > _MOST_TICKS:
        text = T("the motion has too many ticks for an animation: choose its first and last frame")
        raise ExportError(action.name, text, count=len(motion), limit=_MOST_TICKS)
    up = None if options.up is None else np.array(options.up, float)
    stance = take_stance(pairing.skeleton, motion, options.rest, clip.posed, up)
    if stance.is_by_joints and options.rest is Rest.AUTO:
        _warn_of_rest(source, report)
    forward, direction = find_forward(stance, options.forward)
    fit = Fit(stance.skeleton, target, pairing.pairs, options.size, forward=direction)
    whole, heads = _poses(fit, stance.motion, source, model, options, report)
    if forward in (Forward.START, Forward.PATH):
        angle = heading(target, heads, along_path=forward is Forward.PATH)
        whole, heads = turned(whole, heads, angle)
    bones = int((pairing.pairs >= 0).sum())
    if is_actor(model) and onto is not None:
        made = as_games_move(RestPose.of(model), whole, heads, PathKind.OFFSETS, scale_of(model))
        play_from(onto, model, made.poses, options.start)
        return Brought(onto, len(whole), 0.0, fit.size, stance.up, forward, bones, report)
    scale, keeps_speed = scale_of(model), pairing.skeleton.is_model and forward is Forward.REST
    path, ways = _path(action, model, options.path, fit.size, keeps_speed=keeps_speed)
    made = as_games_move(RestPose.of(model), whole, heads, path, scale, ways)
    if onto is None:
        onto = new_action(name or _name(action, source, model), model)
    store_poses(onto, model, made.poses, options.rate, TIGHT if options.contact else LOOSE, scale)
    set_speeds(onto, *made.ways)
    if options.path is PathKind.OFFSETS:
        climbed = height_climbed(target, model, whole, heads, scale)
        _set_position(onto, np.rint([*made.moved[:2], climbed]).astype(int).tolist())
    elif path is not PathKind.AUTO and abs(made.moved[0]) > _SIDEWAYS:
        _warn_of_sideways(onto, abs(made.moved[0]), report)
    return Brought(onto, len(whole), made.ways.forward.speed, fit.size, stance.up, forward, bones, report)


def _warn_of_rest(source: Object, report: Report) -> None:
    text = T("it does not stand in its rest pose, so its joints were used: hands and head may be turned")
    report.warn(source.name, T("{text} (option Rest Pose)", text=text))


def _name(action: Action, source: Object, model: Object) -> str:
    """Return the name of a new animation."""
    if source.tomb_raider.kind != Kind.MODEL:
        return plain_name(action, source)
    return action_name(model.name, len(model.tomb_raider.model.animations), name_in_model(action))


def _poses(
    fit: Fit, motion: Motion, source: Object, model: Object, options: RetargetOptions, report: Report
) -> tuple[Floats, Floats]:
    """Return the poses of a model that follows a motion, with its feet on the floor."""
    whole, heads = pose_target(fit, motion)
    if not options.contact:
        return whole, on_floor(fit.target, model, whole, heads)
    if not can_keep_contact(fit):
        report.warn(model.name, T("its feet and hands keep no contact: both skeletons need two known legs"))
        return whole, on_floor(fit.target, model, whole, heads)
    contact = Contact.of(fit, motion, source, model, whole, heads)
    off = keep_contact(fit, contact, whole, heads) / scale_of(model)
    if off > _OUT_OF_REACH:
        text = T("feet on the floor are out of reach by up to {distance:.0f} units", distance=off)
        report.warn(model.name, text)
    return whole, heads


def _path(
    action: Action, model: Object, path: PathKind, size: float, *, keeps_speed: bool
) -> tuple[PathKind, PathSpeeds]:
    """Return where the path goes, and the speeds of a source model in proportion if they are kept.

    Lateral speeds are kept if the game of the target has them.
    """
    if path is not PathKind.AUTO:
        return path, NO_SPEEDS
    if not keeps_speed:
        return PathKind.SPEED, NO_SPEEDS
    ways, root = ways_of(action).scaled(size), level_of(model)
    has_lateral = root is not None and Game[root.tomb_raider.game].traits.has_lateral_speed
    return path, ways if has_lateral else ways._replace(lateral=STILL)


def _warn_of_sideways(action: Action, distance: float, report: Report) -> None:
    text = T("its key frames move it sideways by {distance:.0f} units", distance=distance)
    text = T("{text}, and the game puts it back at the end (options Forward and Path)", text=text)
    report.warn(action.name, text)


def _matched_bones(
    source: Object,
    skeleton: Skeleton,
    model: Object,
    target: Skeleton,
    options: RetargetOptions,
    report: Report,
) -> NDArray[np.int64]:
    """Return the bone of the source for each bone of the model, -1 for none.

    Raises:
        NoBonesError: if no bones match.
    """
    if options.names is None:
        pairs = match_bones(skeleton, target)
    else:
        pairs = pairs_by_name(options.names, skeleton, target)
    if not (pairs >= 0).any():
        text = T("none of its bones were recognized: choose them in the list Bones of the panel Motion")
        text = T("{text}, and press Retarget with Bones: As Listed", text=text)
        raise NoBonesError(source.name, text)
    missing = missing_bones(pairs.tolist(), target)
    if missing:
        text = T("{source} has no bones for these, which follow their parents", source=source.name)
        report.warn(model.name, T("{text}: {missing}", text=text, missing=first_few(missing, _NAMED)))
    return pairs


def _clips(pairing: _Pairing, actions: Iterable[Action]) -> list[_Clip]:
    source, skeleton = pairing.source, pairing.skeleton
    with isolated_copy(source) as (scene, copy):
        sampler = Sampler(scene, copy, source, skeleton)
        return [_clip(pairing, sampler, action) for action in actions]


def _clip(pairing: _Pairing, sampler: Sampler, action: Action) -> _Clip:
    source, skeleton, options, report = pairing.source, pairing.skeleton, pairing.options, Report()
    report.warn_again(pairing.report)
    start, end = span_of(action, source)
    if options.first or options.last:
        start, end = max(float(options.first), start), min(float(options.last or end), end)
    if end < start:
        raise ExportError(action.name, T("it has no frames between the first and the last one chosen"))
    if options.skips_rest and not skeleton.is_model and not options.first and end - start >= 2:
        begin = sampler.frames(action, start + np.arange(3.0))
        if starts_at_rest(begin, skeleton, pairing.pairs.tolist()):
            report.warn(action.name, T("its first frame is the rest pose, and was left out"))
            start += 1
    motion = sampler.ticks(action, options.frame_rate or rate_of(source), (start, end))
    if options.rest is not Rest.FRAME:
        return _Clip(motion, None, report)
    pose = sampler.frames(action, np.array([float(options.rest_frame)]))
    return _Clip(motion, skeleton.posed(pose.turns[0], pose.heads[0]), report)


def _posed(target: Skeleton, model: Object, action: Action, frame: float) -> Skeleton:
    """Return a model's skeleton in the pose of a frame."""
    rest = RestPose.of(model)
    poses = read_key_poses(action, model, rest)
    if not len(poses.frames):
        raise ExportError(action.name, T("it has no keys"))
    poses = poses.at(np.array([frame]))
    turns, heads = rest.pose(poses.turns, poses.places)
    return target.posed(matrices_from_quaternions(turns[0]), heads[0])


def _set_position(action: Action, moved: list[int]) -> None:
    """Replace the command that sets the model's position at the end of an animation."""
    rows = action.tomb_raider.commands
    for place in reversed(range(len(rows))):
        if rows[place].command == "POSITION":
            rows.remove(place)
    if any(moved):
        row = rows.add()
        row.command, row.position = "POSITION", moved
