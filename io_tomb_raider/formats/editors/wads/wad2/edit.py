"""Export of an edited level to the WAD2 that it was made from; unedited data keep their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....base.bytes.chunks import Chunk, children
from ....base.bytes.records import F32
from ....base.errors import ExportError
from ....base.messages import T
from ....levels.animations.frames import decode_frames
from ....levels.level.level import Level
from ....levels.meshes.meshes import MeshBlock, decode_meshes
from ....levels.models.mesh_trees import MeshTree, decode_mesh_trees
from ....levels.textures.sprites import decode_sprites
from ...animation_files.game import align
from .animated import level_offset
from .edit_animations import LevelAnimation, merge_animation, model_animations_of
from .edit_meshes import is_same, merge_mesh
from .edit_textures import TextureEdits
from .level import GAME, Wad2Level, level_box
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
from .skins import SKIN, Wad2Extras, encode_skin, with_hidden
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


def edit_wad2(library: Wad2Level, level: Level, extras: Wad2Extras | None = None) -> Wad2:
    """Return the WAD2 of an edited level.

    Args:
        level: that level, edited, of TR4.
        extras: edits of what it lacks.

    Raises:
        ExportError: if a WAD2 cannot store it.
        FormatError: if the level is damaged.
    """
    if level.game is not GAME:
        raise ExportError("WAD2", T("its objects are kept as those of TR4: export a level of that game"))
    editor = _Editor(library, level, extras or Wad2Extras())
    result = replace(library.wad2, chunks=list(library.wad2.chunks))
    moveables, statics, textures = editor.moveables(), editor.statics(), editor.textures.textures()
    sprites, sequences = editor.sprites()
    for name, parts in (
        ("W2Moveables", moveables),
        ("W2Statics", statics),
        ("W2Textures", textures),
        ("W2Sprites", sprites),
        ("W2SpriteSequences", sequences),
    ):
        unknown = [part for part in library.wad2.listed(name) if part.name not in _KNOWN]
        result.put(name, [*parts, *unknown])
    return result


_KNOWN = ("W2Moveable", "W2Static", "W2Static2", "W2Txt", "W2Spr", "W2SpriteSeq")


class _Editor:
    """One edit of a WAD2."""

    def __init__(self, library: Wad2Level, level: Level, extras: Wad2Extras) -> None:
        self.library = library
        self.extras = extras
        self.old, self.new = _DecodedLevel.of(library.level), _DecodedLevel.of(level)
        self.textures = TextureEdits(library, level, extras.textures)
        pointers = self.new.block.pointers
        self._hidden = {
            int(pointers[pointer]): hidden
            for pointer, hidden in extras.hidden.items()
            if pointer < len(pointers)
        }
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
            chunks.append(self._moveable(model, renamed.get(model, origin), int(ids[model])))
        return _in_order(chunks, origins, ids)

    def _renamed(self, origins: Sequence[int]) -> dict[int, int]:
        """Return the originals of models with new numbers: missing ones with equal content."""
        missing = set(range(len(self.old.level.models))) - set(origins)
        result: dict[int, int] = {}
        for model in (model for model, origin in enumerate(origins) if origin < 0):
            content = self._content_of(self.new, model)
            match = next(
                (each for each in sorted(missing) if self._content_of(self.old, each) == content), None
            )
            if match is not None:
                result[model] = match
                missing.discard(match)
        unmatched = [model for model, origin in enumerate(origins) if origin < 0 and model not in result]
        if len(unmatched) == len(missing):  # also edited: levels keep the order of their models
            for model, old_model in zip(unmatched, sorted(missing), strict=True):
                if len(self.new.trees[model]) == len(self.old.trees[old_model]):
                    result[model] = old_model
        return result

    def _content_of(self, decoded: _DecodedLevel, model: int) -> list[bytes]:
        meshes = [decoded.block.meshes[number].raw for number in decoded.meshes(model)]
        return [*meshes, *(each.signature for each in decoded.animations[model])]

    def _moveable(self, model: int, old_model: int, slot: int) -> Chunk:
        origin = self.library.moveables[old_model] if old_model >= 0 else Wad2Moveable((), slot, (), (), ())
        numbers = self.new.meshes(model)
        old_numbers = self.old.meshes(old_model) if old_model >= 0 else []
        bones = self._bones_before(numbers, old_numbers)
        meshes = self._meshes(numbers, old_numbers, bones, origin, slot)
        animations = self.new.animations[model]
        old_animations = self.old.animations[old_model] if old_model >= 0 else []
        signatures = [[each.signature for each in some] for some in (old_animations, animations)]
        matches = align(*signatures, replacements=True)
        new_animations = [
            merge_animation(
                each,
                old_animations[index] if index >= 0 else None,
                origin.animations[index] if index >= 0 else None,
                self._form,
                bones,
                matches,
                self.extras.animations.get((model, number)),
            )
            for number, (each, index) in enumerate(zip(animations, matches, strict=True))
        ]
        tree = self.new.trees[model]
        old_tree = self.old.trees[old_model] if old_model >= 0 else None
        skeleton = self._skeleton(origin, tree, old_tree, bones)
        skin, old_skin = self._skin(model, old_model, origin), [p for p in origin.parts if p.name == SKIN]
        unchanged = (
            slot == origin.id
            and meshes == [each.chunk for each in origin.meshes]
            and skeleton is None
            and skin == old_skin
            and new_animations == [each.chunk for each in origin.animations]
        )
        if unchanged:
            parts = self.library.wad2.listed("W2Moveables")
            return [part for part in parts if part.name == "W2Moveable"][old_model]
        old_bones = [part for part in origin.parts if part.name in ("W2Bone", "W2Bone2")]
        return encode_moveable(
            origin, slot, meshes, old_bones if skeleton is None else skeleton, new_animations, skin
        )

    def _skin(self, model: int, old_model: int, origin: Wad2Moveable) -> list[Chunk]:
        """Return the chunk of a moveable's skin, if it has one."""
        old = [part for part in origin.parts if part.name == SKIN]
        if model not in self.extras.skins:
            return old
        edit = self.extras.skins[model]
        if edit is None:
            return []
        number = int(self.new.block.pointers[edit.pointer])
        skin = encode_skin(self._mesh(number, self.library.skins.get(old_model, -1), "Skin"), edit)
        return old if old and children(old[0])[1] == children(skin)[1] else [skin]

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
        origin: Wad2Moveable,
        slot: int,
    ) -> list[Chunk]:
        """Return a moveable's meshes: in file order if the number of bones is unchanged, else per bone."""
        chunks = [
            self._mesh(number, old_numbers[bone] if bone >= 0 else -1, f"Mesh-{slot}-{index}")
            for index, (number, bone) in enumerate(zip(numbers, bones, strict=True))
        ]
        mesh_numbers = origin.bone_meshes
        if len(chunks) != len(mesh_numbers) or len(set(mesh_numbers)) != len(mesh_numbers):
            if chunks == [origin.meshes[number].chunk for number in mesh_numbers]:
                return [each.chunk for each in origin.meshes if each.chunk is not None]
            return chunks
        result = [each.chunk for each in origin.meshes]
        for chunk, number in zip(chunks, mesh_numbers, strict=True):
            result[number] = chunk
        return [each for each in result if each is not None]

    def _mesh(self, number: int, old: int, name: str) -> Chunk:
        chunk = self._merged_mesh(number, old, name)
        return with_hidden(chunk, hidden=self._hidden[number]) if number in self._hidden else chunk

    def _merged_mesh(self, number: int, old: int, name: str) -> Chunk:
        mesh = self.new.block.meshes[number]
        old_meshes = self.old.block.meshes
        equal = self._equal.get(mesh.raw, -1)
        # A mesh of the file that has moved keeps its chunk.
        if equal >= 0 and is_same(mesh, old_meshes[equal], self.textures):
            old = old if old >= 0 and old_meshes[old].raw == mesh.raw else equal
        if old < 0:
            return merge_mesh(mesh, None, None, self.textures, name)
        return merge_mesh(mesh, old_meshes[old], self.library.meshes[old], self.textures, name)

    def _skeleton(
        self, origin: Wad2Moveable, tree: MeshTree, old_tree: MeshTree | None, bones: Sequence[int]
    ) -> list[Chunk] | None:
        """Return the bones of a moveable, or None if they are unchanged."""
        if (
            old_tree is not None
            and np.array_equal(tree.offsets, old_tree.offsets)
            and np.array_equal(tree.flags & _FLAGS, old_tree.flags & _FLAGS)
        ):
            return None
        mesh_numbers = origin.bone_meshes
        in_place = len(tree) == len(mesh_numbers) and len(set(mesh_numbers)) == len(mesh_numbers)
        result = []
        for number, bone in enumerate(bones):
            old = origin.bones[bone] if 0 <= bone < len(origin.bones) else None
            if old is None:
                old = Bone(0, f"bone_{number}" if number else "bone_0_root", np.zeros(3, F32), number)
            exact = old.offset.astype(np.float64)
            rounded = tree.offsets[number]
            is_kept = np.array(level_offset(old.offset)) == rounded if number else np.ones(3, np.bool_)
            offset = np.where(is_kept, exact, rounded * _SIGNS).astype(F32)
            operation = int(tree.flags[number]) & _FLAGS if number else _FIRST_OPERATION
            mesh = mesh_numbers[number] if in_place else number
            result.append(encode_bone(Bone(operation, old.name, offset, mesh, old.source)))
        return result

    # --- Static meshes -------------------------------------------------------------------------

    def statics(self) -> list[Chunk]:
        """Return the static meshes, with new ones sorted in by number."""
        records, old_records = self.new.level.static_meshes, self.old.level.static_meshes
        ids = records["id"].tolist()
        origins = _matched(old_records["id"].tolist(), ids)
        chunks = []
        for index, origin in enumerate(origins):
            record = records[index]
            mesh = int(self.new.block.pointers[int(record["mesh"])])
            if origin < 0:
                chunk = self._mesh(mesh, -1, f"Static-{ids[index]}")
                chunks.append(self._static(new_static(), record, None, chunk, mesh))
                continue
            static, old = self.library.statics[origin], old_records[origin]
            number = int(self.old.block.pointers[int(old["mesh"])])
            chunk = self._mesh(mesh, number, f"Static-{ids[index]}")
            names = ("visibility_box", "collision_box", "flags")
            is_same_record = all((record[name] == old[name]).all() for name in names)
            unchanged = is_same_record and static.mesh is not None and chunk == static.mesh.chunk
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
        is_kept = old is not None and flags == int(old["flags"])
        mesh = self.new.block.meshes[number]
        light_type = int(mesh.normals is None and len(mesh.vertices) > 0)
        slot = int(record["id"])
        return encode_static(static, slot, static.flags if is_kept else flags, chunk, light_type, boxes)

    # --- Sprites -------------------------------------------------------------------------------

    def sprites(self) -> tuple[list[Chunk], list[Chunk]]:
        """Return sprites and sprite sequences; unchanged ones are kept."""
        library, level = self.library, self.new.level
        images = self.textures.images()[library.textures :]
        sequences = [part for part in library.wad2.listed("W2SpriteSequences") if part.name == "W2SpriteSeq"]
        rectangles = _sprite_places(level)
        numbers = [number for _, numbers in library.sequences for number in numbers]
        old_rectangles = [rectangle for row in _sprite_places(library.level) for rectangle in row]
        sprite_of = dict(zip(old_rectangles, numbers, strict=True))
        ids = level.sprite_sequences["id"].tolist()
        origins = _matched([slot for slot, _ in library.sequences], ids)
        chunks = []
        for index, origin in enumerate(origins):
            sprites = []
            for rectangle in rectangles[index]:
                if rectangle not in sprite_of:
                    page, left, top, width, height = rectangle
                    sprite_of[rectangle] = len(images)
                    pixels = self.textures.pages[page, top : top + height, left : left + width]
                    images.append(new_sprite(pixels, len(images)))
                sprites.append(sprite_of[rectangle])
            unchanged = origin >= 0 and list(library.sequences[origin][1]) == sprites
            chunks.append(sequences[origin] if unchanged else encode_sequence(int(ids[index]), sprites))
        return images, _in_order(chunks, origins, ids)


def _matched(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """Return the old index of each new number, -1 for none. Each is used once."""
    unused: dict[int, list[int]] = {}
    for index, number in enumerate(old):
        unused.setdefault(number, []).append(index)
    return [unused[number].pop(0) if unused.get(number) else -1 for number in new]


def _in_order(parts: Sequence[Chunk], origins: Sequence[int], ids: Sequence[int]) -> list[Chunk]:
    """Return chunks in file order, or sorted by number if some are new, as in editors."""
    if min(origins, default=0) >= 0:
        return list(parts)
    return [part for _, part in sorted(zip(ids, parts, strict=True), key=lambda pair: pair[0])]


Place = tuple[int, int, int, int, int]


def _sprite_places(level: Level) -> list[list[Place]]:
    """Return page, left, top, width and height of the sprites of each sequence."""
    sprites = decode_sprites(level.sprite_textures, GAME)
    rectangles = [
        (page, *rect) for page, rect in zip(sprites.page.tolist(), sprites.rect.tolist(), strict=True)
    ]
    result: list[list[Place]] = []
    for record in level.sprite_sequences:
        first = int(record["first"])
        result.append(rectangles[first : first - int(record["negative_length"])] if first >= 0 else [])
    return result
