"""The models, static meshes, sprites and sounds of a level, from the object files of its project."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from .....base.errors import ExportError, FormatError
from .....base.games import Game
from .....base.messages import T, about, plural
from .....edits.append.cut import PieceChoice, cut_sounds, cut_to, played_sounds
from .....edits.append.join import join_objects
from .....edits.convert.objects import objects_for_game
from .....edits.new_levels.kit import kit_of
from .....edits.rules.needs import HELPERS
from .....levels.animations.animations import NO_ANIMATION
from .....levels.level.level import Level
from .....levels.meshes.meshes import decode_meshes
from .....levels.models.order import sort_models
from .....levels.textures.object_textures import BUMP
from ....wads.object_files import WAD2
from ...model.settings import Settings
from ..plan.log import Log
from ..plan.resources import ObjectSource
from ..plan.slots import bodies, essential
from .compiled_meshes import compiled_meshes
from .placed import LibraryContents
from .transitions import LostTransitions, own_transitions, warn_of_lost

_LISTS = ("models", "static_meshes", "sprite_sequences")
_FILLER = 0xFEFF
_NO_COLLISION, _DRAWN = 1, 2
_TREE_WORDS = 4  # of a joint: an operation, and its place
_SOUNDS = ("sound_map", "sound_details", "sample_indices", "sample_data", "sample_count", "samples")


class PlacedSlots(NamedTuple):
    """The slots of placed objects."""

    models: frozenset[int]
    statics: frozenset[int]


def make_library(
    game: Game,
    sources: Iterable[ObjectSource],
    log: Log,
    only: PlacedSlots | None = None,
    *,
    compiled: bool = False,
) -> Level:
    """Return a level with the objects of several files, by slot, and an empty world.

    The first of several files with the same slot wins. Levels must be of the same game.

    Args:
        sources: the files, in the order of the project.
        only: the slots to keep, besides the models that the game always needs; None for all.
        compiled: make meshes and transitions of object files as Tomb Editor does for levels.
    """
    result: Level | None = None
    lost: dict[int, LostTransitions] = {}
    for source in sources:
        if not _is_usable(source, game, log):
            continue
        earlier = frozenset() if result is None else frozenset(result.models["id"].tolist())
        try:
            objects, foreign = _objects_of(source, game, compiled=compiled)
            result = _start_library(objects) if result is None else _add_lacking(result, objects)
        except (ExportError, FormatError) as error:
            log.warn(about(source.path.name, str(error)))
            continue
        lost |= {model: transitions for model, transitions in foreign.items() if model not in earlier}
        log.info(T("Objects of {file}", file=source.path.name))
    if result is None:
        log.warn(T("the project has no object file that can be used"))
        return Level.empty(game)
    if only is not None:
        result = _without_unused(result, only, log)
    for model in result.models["id"].tolist():
        if model in lost:
            warn_of_lost(model, lost[model], log)
    for name in _LISTS[1:]:
        records = getattr(result, name)
        setattr(result, name, records[np.argsort(records["id"], kind="stable")])
    sort_models(result)
    _share_skeletons(result)
    if compiled and game.traits.has_static_mesh_flags:
        _set_static_flags(result)
    return result


def _is_usable(source: ObjectSource, game: Game, log: Log) -> bool:
    """Return whether a file can have objects for a game; warn if it is for another one."""
    if source.level.game is not game and not source.is_object_file:
        problem = T(
            "a level of {other} has no objects for a level of {game}",
            other=source.level.game.name,
            game=game.name,
        )
        log.warn(about(source.path.name, problem))
        return False
    if source.game is not None and source.game is not game:
        problem = T("its objects have the numbers of {game}", game=source.game.name)
        log.warn(about(source.path.name, problem))
    return True


def _objects_of(
    source: ObjectSource, game: Game, *, compiled: bool
) -> tuple[Level, dict[int, LostTransitions]]:
    """Return the objects of a file for a game, and by model the transitions that are lost."""
    objects, lost = source.level, dict[int, LostTransitions]()
    if source.is_object_file:
        objects, lost = own_transitions(objects) if compiled else (objects, lost)
        objects = objects_for_game(objects, game)
    if compiled and source.path.suffix.lower() != WAD2:
        objects = compiled_meshes(objects)
    return objects, lost


def _set_static_flags(level: Level) -> None:
    """Set the flags of static meshes by their boxes: empty ones are not solid, or not drawn."""
    records = level.static_meshes.copy()
    solid, drawn = (records[name].any(axis=1) for name in ("collision_box", "visibility_box"))
    records["flags"] = np.where(solid, 0, _NO_COLLISION) | np.where(drawn, _DRAWN, 0)
    level.static_meshes = records


def _without_unused(level: Level, only: PlacedSlots, log: Log) -> Level:
    """Return a library without the objects that are neither placed nor needed."""
    kept = only.models | essential(level.game)
    choice = PieceChoice(kept, only.statics)
    result = cut_to(level, choice, follow=False)
    lost = [len(getattr(level, name)) - len(getattr(result, name)) for name in _LISTS[:2]]
    log.info(plural("{count} unused model is omitted", "{count} unused models are omitted", lost[0]))
    log.info(
        plural("{count} unused static mesh is omitted", "{count} unused static meshes are omitted", lost[1])
    )
    return result


def _share_skeletons(level: Level) -> None:
    """Give the models with Lara's animations the joints of the model with her body."""
    rows = {int(each["id"]): each for each in level.models}
    trees = level.mesh_trees
    added: list[np.ndarray] = []
    size = len(trees)
    level.models = level.models.copy()
    for row, model in enumerate(level.models):
        body = rows.get(bodies(level.game).get(int(model["id"]), -1))
        words = _TREE_WORDS * (int(model["meshes"]) - 1)
        if body is None or words <= 0 or body["meshes"] != model["meshes"]:
            continue
        joints, body_joints = (
            trees[first : first + words].reshape(-1, _TREE_WORDS)
            for first in (int(model["mesh_tree"]), int(body["mesh_tree"]))
        )
        if joints.size < words or body_joints.size < words or (joints[:, 1:] == body_joints[:, 1:]).all():
            continue
        level.models["mesh_tree"][row] = size
        added.append(np.concatenate([joints[:, :1], body_joints[:, 1:]], axis=1).ravel())
        size += words
    level.mesh_trees = np.concatenate([trees, *added])


def _start_library(level: Level) -> Level:
    kit = _unique(kit_of(level))
    if kit.has_trng_footer:
        kit.has_trng_footer, kit.footer = False, np.zeros(0, np.uint8)
    if level.game.traits.has_bump and kit.bump_textiles:
        # Pages of bumps stay pages: the pages of rooms and of further files follow.
        kit.object_textures = kit.object_textures.copy()
        kit.object_textures["flags"] = BUMP.put(kit.object_textures["flags"], 0)
        kit.object_textiles += kit.bump_textiles
        kit.bump_textiles = 0
    return kit


def _unique(level: Level) -> Level:
    """Return a level without the second of equal ids."""
    for name in _LISTS:
        records = getattr(level, name)
        rows = np.sort(np.unique(records["id"], return_index=True)[1])
        if len(rows) < len(records) and name != "models":
            setattr(level, name, records[rows])
    return level


def _add_lacking(library: Level, source: Level) -> Level:
    """Return a level with the objects that it lacks from another one."""
    lacking = [
        frozenset(getattr(source, name)["id"].tolist()) - frozenset(getattr(library, name)["id"].tolist())
        for name in _LISTS
    ]
    choice = PieceChoice(lacking[0], lacking[1], lacking[2], frozenset())
    if not (choice.models or choice.static_meshes or choice.sprites):
        return library
    piece = cut_to(source, choice, follow=False)
    result = library.copy()
    join_objects(result, piece)
    return result


def add_sounds(
    level: Level,
    sources: Iterable[ObjectSource],
    settings: Settings,
    log: Log,
    from_catalogs: frozenset[int] = frozenset(),
) -> None:
    """Add the selected sounds of the first level that has any, unless the level has sounds of catalogs."""
    selected = frozenset(settings.selected_sounds)
    if not from_catalogs:
        _copy_sounds(level, sources, selected)
    available = from_catalogs or sound_numbers(level)
    log.info(plural("{count} sound", "{count} sounds", len(available)))
    lost = len(selected - available)
    if lost:
        log.warn(
            plural(
                "one selected sound was not found, so it is omitted",
                "{count} selected sounds were not found, so they are omitted",
                lost,
            )
        )


def _copy_sounds(level: Level, sources: Iterable[ObjectSource], selected: frozenset[int]) -> None:
    for source in sources:
        donor = source.level
        if donor.game is not level.game or not (len(donor.sound_details) and any(donor.sound_map >= 0)):
            continue
        for name in _SOUNDS:
            if name in vars(donor):
                setattr(level, name, getattr(donor, name))
        level.sound_map_counted = donor.sound_map_counted
        if selected:
            cut_sounds(level, selected | played_sounds(level))
        return


def sound_numbers(level: Level) -> frozenset[int]:
    """Return the numbers of a level's sounds."""
    numbers = level.sound_map.astype(np.int64)
    return frozenset(np.flatnonzero((numbers >= 0) & (numbers < len(level.sound_details))).tolist())


def add_needed(level: Level) -> None:
    """Add the models without meshes that a game needs."""
    records = level.models
    for slot in HELPERS.get(level.game, ()):
        if slot not in records["id"]:
            row = np.zeros(1, records.dtype)
            row["id"], row["animation"], row["filler"] = slot, NO_ANIMATION, _FILLER
            records = np.insert(records, int(np.searchsorted(records["id"], slot)), row)
    level.models = records


def library_contents(level: Level, sounds: Collection[int]) -> LibraryContents:
    """Return the contents of a library, and the sounds of its project's catalogs."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    lit = np.array([mesh.lights is not None and mesh.normals is None for mesh in block.meshes] + [False])
    by_pointer = lit[block.pointers]
    static = set()
    for model in level.models:  # some hundreds
        first, count = int(model["first_mesh"]), int(model["meshes"])
        if by_pointer[first : first + count].any():
            static.add(int(model["id"]))
    return LibraryContents(
        frozenset(level.models["id"].tolist()) | frozenset(level.sprite_sequences["id"].tolist()),
        frozenset(level.static_meshes["id"].tolist()),
        frozenset(static),
        sound_numbers(level).union(sounds),
    )
