"""Export of an edited level to the WAD2 that it was made from; unedited data keep their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....base.bytes.chunks import Chunk
from ....base.bytes.records import F32
from ....base.errors import ExportError
from ....base.messages import T
from ....levels.animations.frames import decode_frames
from ....levels.level.level import Level
from ....levels.meshes.meshes import Mesh, MeshBlock, decode_meshes
from ....levels.models.mesh_trees import MeshTree, decode_mesh_trees
from ....levels.textures.sprites import decode_sprites
from ...animation_files.game import align
from .animated import level_offset
from .edit_animations import LevelAnimation, merge_animation, model_animations_of
from .edit_meshes import is_same, merge_mesh
from .edit_textures import TextureEdits
from .level import GAME, Wad2Level, level_box
from .meshes import Wad2Mesh
from .objects import (
    POP,
    PUSH,
    Bone,
    Wad2Moveable,
    Wad2Static,
    encode_bone,
    encode_moveable,
    encode_static,
    new_static,
)
from .textures import encode_sequence, new_sprite
from .wad2 import Wad2

_SIGNS = np.array([1, -1, 1])
_FIRST_OPERATION = 0
_FLAGS = PUSH | POP


@dataclass(frozen=True, eq=False)
class _DecodedLevel:
    """A decoded level: the original one, or the edited one."""

    level: Level
    block: MeshBlock
    trees: Sequence[MeshTree]
    animations: Sequence[Sequence[LevelAnimation]]

    @classmethod
    def of(cls, level: Level) -> _DecodedLevel:
        block = decode_meshes(GAME, level.mesh_data, level.mesh_pointers)
        trees = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))
        keys = decode_frames(GAME, level.frames, level.animations, level.models)
        return cls(level, block, trees, model_animations_of(level, keys))

    def meshes(self, model: int) -> list[int]:
        """Return the meshes of a model, as indices in the block."""
        record = self.level.models[model]
        first = int(record["first_mesh"])
        return [int(each) for each in self.block.pointers[first : first + int(record["meshes"])]]


def edit_wad2(library: Wad2Level, level: Level) -> Wad2:
    """Return the WAD2 of an edited level.

    Args:
        level: that level, edited, of TR4.

    Raises:
        ExportError: if a WAD2 cannot store it.
        FormatError: if the level is damaged.
    """
    if level.game is not GAME:
        raise ExportError("WAD2", T("its objects are kept as those of TR4: export a level of that game"))
    editor = _Editor(library, level)
    result = replace(library.wad2, chunks=list(library.wad2.chunks))
    result.put("W2Moveables", _with_unknown(library.wad2.listed("W2Moveables"), editor.moveables()))
    result.put("W2Statics", _with_unknown(library.wad2.listed("W2Statics"), editor.statics()))
    result.put("W2Textures", _with_unknown(library.wad2.listed("W2Textures"), editor.textures.textures()))
    sprites, sequences = editor.sprites()
    result.put("W2Sprites", _with_unknown(library.wad2.listed("W2Sprites"), sprites))
    result.put("W2SpriteSequences", _with_unknown(library.wad2.listed("W2SpriteSequences"), sequences))
    return result


_KNOWN = ("W2Moveable", "W2Static", "W2Static2", "W2Txt", "W2Spr", "W2SpriteSeq")


def _with_unknown(before: Sequence[Chunk], parts: Sequence[Chunk]) -> list[Chunk]:
    return [*parts, *(part for part in before if part.name not in _KNOWN)]


class _Editor:
    """One edit of a WAD2."""

    def __init__(self, library: Wad2Level, level: Level) -> None:
        self.library = library
        self.old, self.new = _DecodedLevel.of(library.level), _DecodedLevel.of(level)
        self.textures = TextureEdits(library, level)
        forms = {each.chunk.name for moveable in library.moveables for each in moveable.animations}
        self._form = "W2Ani3" if "W2Ani3" in forms else "W2Ani2"
        self._equal = {mesh.raw: number for number, mesh in reversed(list(enumerate(self.old.block.meshes)))}

    # --- Moveables -----------------------------------------------------------------------------

    def moveables(self) -> list[Chunk]:
        """Return the moveables, with new ones sorted in by number."""
        ids = self.new.level.models["id"].tolist()
        origins = _matched(self.old.level.models["id"].tolist(), ids)
        renamed = self._renamed(origins)
        chunks = []
        for model, origin in enumerate(origins):
            place = renamed.get(model, origin)
            chunks.append(self._moveable(model, place, int(ids[model])))
        return _in_order(chunks, origins, ids)

    def _renamed(self, origins: Sequence[int]) -> dict[int, int]:
        """Return the originals of models with new numbers: missing ones with equal content."""
        gone = set(range(len(self.old.level.models))) - set(origins)
        result = {}
        for model in (model for model, origin in enumerate(origins) if origin < 0):
            wanted = self._content_of(self.new, model)
            found = next((each for each in sorted(gone) if self._content_of(self.old, each) == wanted), None)
            if found is not None:
                result[model] = found
                gone.discard(found)
        left = [model for model, origin in enumerate(origins) if origin < 0 and model not in result]
        if len(left) == len(gone):  # also edited: levels keep the order of their models
            for model, place in zip(left, sorted(gone), strict=True):
                if len(self.new.trees[model]) == len(self.old.trees[place]):
                    result[model] = place
        return result

    def _content_of(self, side: _DecodedLevel, model: int) -> list[bytes]:
        meshes = [side.block.meshes[number].raw for number in side.meshes(model)]
        return [*meshes, *(each.signature for each in side.animations[model])]

    def _moveable(self, model: int, place: int, slot: int) -> Chunk:
        before = self.library.moveables[place] if place >= 0 else Wad2Moveable((), slot, (), (), ())
        numbers = self.new.meshes(model)
        old_numbers = self.old.meshes(place) if place >= 0 else []
        bones = self._bones_before(numbers, old_numbers)
        meshes = self._meshes(numbers, old_numbers, bones, before, slot)
        animations = self.new.animations[model]
        old_animations = self.old.animations[place] if place >= 0 else []
        signatures = [[each.signature for each in some] for some in (old_animations, animations)]
        matched = align(*signatures, replacements=True)
        made = [
            merge_animation(
                each,
                old_animations[at] if at >= 0 else None,
                before.animations[at] if at >= 0 else None,
                self._form,
                bones,
                matched,
            )
            for each, at in zip(animations, matched, strict=True)
        ]
        tree = self.new.trees[model]
        was = self.old.trees[place] if place >= 0 else None
        skeleton = self._skeleton(before, tree, was, bones)
        unchanged = (
            slot == before.id
            and meshes == [each.chunk for each in before.meshes]
            and skeleton is None
            and made == [each.chunk for each in before.animations]
        )
        if unchanged:
            return self._chunk_of(place)
        kept = [part for part in before.parts if part.name in ("W2Bone", "W2Bone2")]
        return encode_moveable(before, slot, meshes, kept if skeleton is None else skeleton, made)

    def _chunk_of(self, place: int) -> Chunk:
        parts = [part for part in self.library.wad2.listed("W2Moveables") if part.name == "W2Moveable"]
        return parts[place]

    def _bones_before(self, numbers: Sequence[int], old_numbers: Sequence[int]) -> list[int]:
        """Return the original index of each bone, -1 for new ones."""
        if len(numbers) == len(old_numbers):
            return list(range(len(numbers)))
        new = [self.new.block.meshes[number].raw for number in numbers]
        return align([self.old.block.meshes[number].raw for number in old_numbers], new, replacements=True)

    def _meshes(
        self,
        numbers: Sequence[int],
        old_numbers: Sequence[int],
        bones: Sequence[int],
        before: Wad2Moveable,
        slot: int,
    ) -> list[Chunk]:
        """Return a moveable's meshes: in file order if the number of bones is unchanged, else per bone."""
        made = [
            self._mesh(number, old_numbers[bone] if bone >= 0 else -1, f"Mesh-{slot}-{at}")
            for at, (number, bone) in enumerate(zip(numbers, bones, strict=True))
        ]
        places = before.bone_meshes
        if len(made) != len(places) or len(set(places)) != len(places):
            if made == [before.meshes[place].chunk for place in places] and len(made) == len(places):
                return [each.chunk for each in before.meshes if each.chunk is not None]
            return made
        result = [each.chunk for each in before.meshes]
        for chunk, place in zip(made, places, strict=True):
            result[place] = chunk
        return [each for each in result if each is not None]

    def _mesh(self, number: int, old: int, name: str) -> Chunk:
        mesh = self.new.block.meshes[number]
        equal = self._equal.get(mesh.raw, -1)
        # A mesh of the file that has moved keeps its chunk.
        if equal >= 0 and is_same(mesh, self.old.block.meshes[equal], self.textures):
            same = old if old >= 0 and self.old.block.meshes[old].raw == mesh.raw else equal
            return merge_mesh(mesh, *self._origin(same), self.textures, name)
        return merge_mesh(mesh, *self._origin(old), self.textures, name)

    def _origin(self, old: int) -> tuple[Mesh | None, Wad2Mesh | None]:
        if old < 0:
            return None, None
        return self.old.block.meshes[old], self.library.meshes[old]

    def _skeleton(
        self, before: Wad2Moveable, tree: MeshTree, was: MeshTree | None, bones: Sequence[int]
    ) -> list[Chunk] | None:
        """Return the bones of a moveable, or None if they are unchanged."""
        same = was is not None and np.array_equal(tree.offsets, was.offsets)
        if same and was is not None and np.array_equal(tree.flags & _FLAGS, was.flags & _FLAGS):
            return None
        places = before.bone_meshes
        in_place = len(tree) == len(places) and len(set(places)) == len(places)
        result = []
        for number, bone in enumerate(bones):
            old = before.bones[bone] if 0 <= bone < len(before.bones) else _new_bone(number)
            exact = old.offset.astype(np.float64)
            rounded = tree.offsets[number]
            kept = np.array(level_offset(old.offset)) == rounded if number else np.ones(3, np.bool_)
            offset = np.where(kept, exact, rounded * _SIGNS).astype(F32)
            operation = int(tree.flags[number]) & _FLAGS if number else _FIRST_OPERATION
            mesh = places[number] if in_place else number
            result.append(encode_bone(Bone(operation, old.name, offset, mesh, old.source)))
        return result

    # --- Static meshes -------------------------------------------------------------------------

    def statics(self) -> list[Chunk]:
        """Return the static meshes, with new ones sorted in by number."""
        records, before = self.new.level.static_meshes, self.old.level.static_meshes
        ids = records["id"].tolist()
        origins = _matched(before["id"].tolist(), ids)
        chunks = []
        for at, origin in enumerate(origins):
            record = records[at]
            mesh = int(self.new.block.pointers[int(record["mesh"])])
            if origin < 0:
                chunk = self._mesh(mesh, -1, f"Static-{ids[at]}")
                chunks.append(self._static(new_static(), record, None, chunk, mesh))
                continue
            static, old = self.library.statics[origin], before[origin]
            number = int(self.old.block.pointers[int(old["mesh"])])
            chunk = self._mesh(mesh, number, f"Static-{ids[at]}")
            same = all(
                (record[name] == old[name]).all() for name in ("visibility_box", "collision_box", "flags")
            )
            unchanged = same and static.mesh is not None and chunk == static.mesh.chunk
            chunks.append(static.chunk if unchanged else self._static(static, record, old, chunk, mesh))
        return _in_order(chunks, origins, ids)

    def _static(
        self, static: Wad2Static, record: np.void, old: np.void | None, chunk: Chunk, number: int
    ) -> Chunk:
        boxes = static.boxes.copy()
        for ends, name in zip(boxes, ("visibility_box", "collision_box"), strict=True):
            if old is None or level_box(ends) != record[name].tolist():
                ends[:] = record[name].reshape(3, 2).T * _SIGNS
        flags = int(record["flags"])
        kept = old is not None and flags == int(old["flags"])
        mesh = self.new.block.meshes[number]
        light_type = int(mesh.normals is None and len(mesh.vertices) > 0)
        slot = int(record["id"])
        return encode_static(static, slot, static.flags if kept else flags, chunk, light_type, boxes)

    # --- Sprites -------------------------------------------------------------------------------

    def sprites(self) -> tuple[list[Chunk], list[Chunk]]:
        """Return sprites and sprite sequences; unchanged ones are kept."""
        library, level = self.library, self.new.level
        images = self.textures.images()[library.textures :]
        sequences = [part for part in library.wad2.listed("W2SpriteSequences") if part.name == "W2SpriteSeq"]
        new = _sprite_places(level)
        numbers = [number for _, each in library.sequences for number in each]
        places = [place for each in _sprite_places(library.level) for place in each]
        known = dict(zip(places, numbers, strict=True))
        ids = level.sprite_sequences["id"].tolist()
        origins = _matched([slot for slot, _ in library.sequences], ids)
        made = []
        for at, origin in enumerate(origins):
            wanted = []
            for place in new[at]:
                if place not in known:
                    page, left, top, width, height = place
                    known[place] = len(images)
                    pixels = self.textures.pages[page, top : top + height, left : left + width]
                    images.append(new_sprite(pixels, len(images)))
                wanted.append(known[place])
            unchanged = origin >= 0 and list(library.sequences[origin][1]) == wanted
            made.append(sequences[origin] if unchanged else encode_sequence(int(ids[at]), wanted))
        return images, _in_order(made, origins, ids)


def _matched(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """Return the old index of each new number, -1 for none. Each is used once."""
    left: dict[int, list[int]] = {}
    for place, number in enumerate(old):
        left.setdefault(number, []).append(place)
    return [left[number].pop(0) if left.get(number) else -1 for number in new]


def _in_order(parts: Sequence[Chunk], origins: Sequence[int], ids: Sequence[int]) -> list[Chunk]:
    """Return chunks in file order, or sorted by number if some are new, as in editors."""
    if min(origins, default=0) >= 0:
        return list(parts)
    return [part for _, part in sorted(zip(ids, parts, strict=True), key=lambda pair: pair[0])]


def _new_bone(number: int) -> Bone:
    return Bone(0, f"bone_{number}" if number else "bone_0_root", np.zeros(3, F32), number)


Place = tuple[int, int, int, int, int]


def _sprite_places(level: Level) -> list[list[Place]]:
    """Return page, left, top, width and height of the sprites of each sequence."""
    sprites = decode_sprites(level.sprite_textures, GAME)
    places = [(page, *rect) for page, rect in zip(sprites.page.tolist(), sprites.rect.tolist(), strict=True)]
    result: list[list[Place]] = []
    for record in level.sprite_sequences:
        first = int(record["first"])
        result.append(places[first : first - int(record["negative_length"])] if first >= 0 else [])
    return result
