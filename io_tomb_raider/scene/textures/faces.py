"""How faces are textured: from words of the file to UVs and materials, and back.

In the file a face names an object texture, or in TR1 to TR3 a colour of the palette. In Blender it has UVs
and a material, which stands for a texture page and a blend mode.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from bpy.types import Material
from numpy.typing import NDArray

from ...formats import ExportError, Game, Level
from ...formats.base.records import OBJECT_TEXTURE_RECORD
from ...formats.textures.face_words import DOUBLE_SIDED
from ...formats.textures.level_pages import page_count
from ...formats.textures.object_textures import (
    BUMP_SHIFT,
    Assignment,
    FaceTextures,
    ObjectTextureTable,
    decode_object_textures,
    uv_to_raw,
)
from ...formats.textures.textiles import expand_palette
from ..base.context import ExportContext
from .animated import AnimatedExport, texture_labels
from .keys import KINDS, KeyArray, blank_keys, equal_keys, has_kind
from .materials import ATTRIBUTE_ADDITIVE, MaterialKeys
from .own_pictures import FaceAnswer, FaceRequest, ShownFaces, pack_user_faces
from .pages import PageSet

_ADDITIVE_EFFECT = 1  # bit of TR4's and TR5's effects word
_PALETTE_COLUMNS = 16


class TextureView:
    """The object textures and the palette of a level, as faces in Blender show them.

    ``labels`` says which animated texture each object texture is part of; by default what the level says.
    """

    def __init__(self, level: Level, labels: NDArray[np.int64] | None = None) -> None:
        self.game = level.game
        # A file of textiles only has none.
        has_any = level.has("object_textures")
        records = level.object_textures if has_any else np.zeros(0, OBJECT_TEXTURE_RECORD[level.game])
        decoded = decode_object_textures(records, level.game)
        count = len(decoded.page)
        # One more row stands for every index that the file does not hold.
        self._uv = np.zeros((count + 1, 4, 2), np.float32)
        self._uv[:count] = decoded.uv
        self._attribute = np.append(decoded.attribute, 0)
        self._keys = blank_keys(count + 1, "MISSING")
        self._known = np.append(decoded.page < page_count(level), False)
        rows = np.flatnonzero(self._known)
        self._keys["kind"][rows] = KINDS.index("PAGE")
        self._keys["page"][rows], self._keys["attribute"][rows] = decoded.page[rows], decoded.attribute[rows]
        self._keys["bump"][rows] = decoded.flags[rows] >> BUMP_SHIFT & 3
        self._label(texture_labels(level) if labels is None else labels)

    def _label(self, labels: NDArray[np.int64]) -> None:
        self._keys["group"] = np.where(self._known, np.append(labels, 0), 0)

    def labelled(self, labels: NDArray[np.int64]) -> TextureView:
        """Return the same with other animated textures."""
        view = copy(self)
        view._keys = self._keys.copy()
        view._label(labels)
        return view

    def row(self, words: NDArray[Any], mask: int) -> NDArray[np.int64]:
        """Return the rows that texture words lead to; words of textures that do not exist share the last."""
        return np.minimum(words.astype(np.int64) & mask, len(self._keys) - 1)

    def attribute(self, words: NDArray[Any], mask: int) -> NDArray[np.int64]:
        """Return the blend mode of the textures that words name, (n,)."""
        return self._attribute[self.row(words, mask)]

    def faces(
        self, words: NDArray[Any], corners: int, mask: int, effects: NDArray[Any] | None = None
    ) -> tuple[NDArray[np.float32], KeyArray]:
        """Return UVs (n, corners, 2) and material keys (n,) of textured faces.

        Args:
            words: (n,) raw texture words.
            corners: 3 or 4.
            mask: the bits of a word that are the object texture.
            effects: (n,) raw effects words of mesh faces, TR4 and TR5.
        """
        row = self.row(words, mask)
        keys = self._keys.take(row)
        known = self._known[row]
        if effects is not None:
            keys["attribute"][known & (effects & _ADDITIVE_EFFECT != 0)] = ATTRIBUTE_ADDITIVE
        if not mask & DOUBLE_SIDED:
            keys["double_sided"] = known & (words & DOUBLE_SIDED != 0)
        return self._uv[row, :corners], keys

    def colored_faces(self, words: NDArray[Any], corners: int) -> tuple[NDArray[np.float32], KeyArray]:
        """Return UVs (n, corners, 2), all at the middle of a cell of the palette's image, and keys (n,)."""
        uv = np.repeat(_cell_center(_palette_index(self.game, words))[:, None], corners, axis=1)
        return uv, blank_keys(len(words), "PALETTE")


def _palette_index(game: Game, words: NDArray[Any]) -> NDArray[np.int64]:
    return words.astype(np.int64) & 0xFF if game is Game.TR1 else words.astype(np.int64) >> 8


def _cell_center(index: NDArray[np.int64]) -> NDArray[np.float32]:
    row, column = np.divmod(index, _PALETTE_COLUMNS)
    center = np.stack((column + 0.5, _PALETTE_COLUMNS - row - 0.5), axis=-1)
    return (center / _PALETTE_COLUMNS).astype(np.float32)


def _cell(uv: NDArray[np.float32]) -> NDArray[np.int64]:
    place = np.clip(np.floor(uv.astype(np.float64) * _PALETTE_COLUMNS).astype(np.int64), 0, 15)
    return (15 - place[..., 1]) * _PALETTE_COLUMNS + place[..., 0]


# --- Back: from UVs and materials to words ----------------------------------------


@dataclass(eq=False)
class Faces:
    """Faces of one mesh or room, all to be given texture words.

    Attributes:
        subject: the object's name, for errors.
        uv: (n, 4, 2) float32; the fourth corner of triangles counts for nothing.
        triangle: (n,) bool.
        keys: (n,) of ``MATERIAL_KEY``.
        hints: (n,) int64 raw words that the faces had, -1 for none.
        effects: (n,) int64 raw effects words; zeros where the game has none.
        own_materials: the user's materials, which keys count.
        room: whether they are faces of a room.
        mask: the bits of a word that are the object texture.
        has_effects: whether the faces' additive bit counts (meshes of TR4 and TR5).
    """

    subject: str
    uv: NDArray[np.float32]
    triangle: NDArray[np.bool_]
    keys: KeyArray
    hints: NDArray[np.int64]
    effects: NDArray[np.int64]
    own_materials: list[Material]
    room: bool
    mask: int
    has_effects: bool

    # The answer:
    words: NDArray[np.int64] = field(init=False)
    rotation: NDArray[np.int64] = field(init=False)

    @property
    def colored(self) -> NDArray[np.bool_]:
        """Which faces are of one palette colour."""
        return has_kind(self.keys, "PALETTE")


class FaceResolver:
    """Finds the texture words of all changed faces of an export, in one go.

    Attributes:
        context: the export.
        material_keys: what the materials of faces stand for.
        view: the textures as they were imported.
    """

    def __init__(self, context: ExportContext, pages: PageSet, material_keys: MaterialKeys) -> None:
        self.context = context
        self.material_keys = material_keys
        self._pages = pages
        self._animated = AnimatedExport(context)
        # What was imported, and what the same words show with the animated textures of the scene.
        imported = None if self._animated.is_imported else self._animated.labels
        self.view = TextureView(context.original, imported)
        self._now = self.view.labelled(self._animated.labels)
        self._sets: list[Faces] = []
        self._requests: list[FaceRequest] = []
        self._answers: dict[Any, FaceAnswer] = {}

    def ask(self, request: FaceRequest) -> None:
        """Note a picture that is no face's and shall be packed along; :meth:`answer` tells where it went."""
        self._requests.append(request)

    def answer(self, key: Any) -> FaceAnswer:
        """Return where a picture of :meth:`ask` went, once all is resolved."""
        return self._answers[key]

    def add(self, faces: Faces) -> None:
        """Note faces whose words and rotation :meth:`resolve` shall set."""
        count = int(has_kind(faces.keys, "NONE").sum())
        if count:
            raise ExportError(faces.subject, "faces without a material", count=count)
        self._sets.append(faces)

    def resolve(self) -> None:
        """Set the words of all faces noted, and the level's object textures.

        Raises:
            ExportError: where there are too many object textures, or a face shows what no file can hold.
        """
        context, level = self.context, self.context.level
        records, animated = context.original.object_textures, self._animated
        kept = slice(0, 0) if context.rebuild else slice(None)
        table = ObjectTextureTable(records[kept], context.original.game, animated.labels[kept])
        requests = [*self._user_requests(), *animated.requests(), *self._requests]
        shown = [*map(_shown, self._sets), animated.shown()]
        self._answers = pack_user_faces(self._pages, requests, shown)
        animated.add_to(table, self._answers)
        wanted = [self._wanted(number, faces) for number, faces in enumerate(self._sets)]
        found = self._find(table, [ask for _, ask in wanted])
        end = 0
        for faces, (rows, _) in zip(self._sets, wanted, strict=True):
            start, end = end, end + len(rows)
            faces.words[rows] |= found.index[start:end]
            faces.rotation[rows] = found.rotation[start:end]
        if context.rebuild or table.added:
            level.object_textures = table.records
            context.report.count("object textures", table.added)
        animated.finish()

    def _find(self, table: ObjectTextureTable, parts: list[FaceTextures]) -> Assignment:
        """Find the records of all faces: those that are animated among the frames of what they play."""
        faces = _joined(parts)
        plays = faces.group if faces.group is not None else _NONE
        if not plays.any():
            return table.find_or_add(faces, exact=self.context.rebuild)
        among = table.find_in_groups(faces)
        lost = (plays > 0) & (among.index < 0)
        owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        for number, count in zip(*np.unique(owner[lost], return_counts=True), strict=True):
            text = f"{count} faces show no frame of the animated texture of their material and stand still"
            self.context.report.warn(self._sets[number].subject, text)
        rest = np.flatnonzero(among.index < 0)
        found = table.find_or_add(replace(faces, group=None).take(rest), exact=self.context.rebuild)
        among.index[rest], among.rotation[rest] = found.index, found.rotation
        return among

    def _user_requests(self) -> list[FaceRequest]:
        requests, game = [], self.context.original.game
        for number, faces in enumerate(self._sets):
            rows = np.flatnonzero(has_kind(faces.keys, "OWN"))
            numbers = faces.keys["page"][rows]
            # The last one first: what levels have always been packed by.
            for own in reversed(np.unique(numbers).tolist()):
                some = rows[numbers == own]
                material = faces.own_materials[own]
                uv, triangle = faces.uv[some], faces.triangle[some]
                requests.append(FaceRequest.of((number, own), faces.subject, material, uv, triangle, game))
        return requests

    def _wanted(self, number: int, faces: Faces) -> tuple[NDArray[np.int64], FaceTextures]:
        """Set the words of faces that need no search; return which rows do, and what they ask for.

        The words of those rows are set to what stands beside the object texture.
        """
        faces.rotation = np.zeros(len(faces.keys), np.int64)
        faces.words = np.where(faces.hints >= 0, faces.hints, 0)
        kept = self._agreeing(faces)
        colored = faces.colored & ~kept
        if colored.any():
            faces.words[colored] = self._colored_words(faces, colored)
        rows = np.flatnonzero(~kept & ~faces.colored)
        if has_kind(faces.keys.take(rows), "MISSING").any():
            raise ExportError(faces.subject, "faces show a texture that the level does not have")
        return rows, self._asked(number, faces, rows)

    def _agreeing(self, faces: Faces) -> NDArray[np.bool_]:
        """Tell which faces still show what the words show that they had in the file."""
        hinted = faces.hints >= 0
        kept = np.zeros(len(faces.keys), np.bool_)
        for corners in (3, 4):
            rows = np.flatnonzero(hinted & (faces.triangle == (corners == 3)))
            colored = faces.colored[rows]
            words, effects = faces.hints[rows], faces.effects[rows]
            uv, keys = self._now.faces(words, corners, faces.mask, effects if faces.has_effects else None)
            if colored.any():
                uv[colored], keys[colored] = self._now.colored_faces(words[colored], corners)
            same = equal_keys(keys, faces.keys.take(rows)) & (uv == faces.uv[rows, :corners]).all(axis=(1, 2))
            if self.context.rebuild:
                # The list that the words index is made anew; only words that index nothing stand.
                same &= ~has_kind(keys, "PAGE")
            kept[rows] = same
        return kept

    def _colored_words(self, faces: Faces, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        original = self.context.original
        index = _cell(faces.uv[rows, 0])
        if original.game is Game.TR1:
            return index
        palettes = self._pages.palettes
        assert palettes.palette16 is not None
        nearest = _nearest(palettes.palette16[:, :3], palettes.palette)
        return index << 8 | nearest[index]

    def _asked(self, number: int, faces: Faces, rows: NDArray[np.int64]) -> FaceTextures:
        """Return what textured faces ask for, and set their words to the bits beside the object texture."""
        keys = faces.keys.take(rows)
        names = ("page", "attribute", "bump", "group")
        page, attribute, bump, group = (keys[name].astype(np.int64) for name in names)
        double_sided = keys["double_sided"].copy()
        uv = np.array(faces.uv[rows])
        if faces.has_effects:
            self._keep_additive(faces, rows, attribute)
        is_own = has_kind(keys, "OWN")
        for own in np.unique(page[is_own]).tolist():
            answer, some = self._answers[number, own], is_own & (keys["page"] == own)
            page[some], uv[some], attribute[some] = answer.page, answer.uv, answer.attribute
            settings = faces.own_materials[own].tomb_raider
            bump[some], double_sided[some] = 0, settings.double_sided
            group[some] = settings.animation if settings.animation in self._animated.numbers else 0
        high = np.where(faces.hints[rows] >= 0, faces.hints[rows], 0) & ~faces.mask & 0xFFFF & ~DOUBLE_SIDED
        if not faces.mask & DOUBLE_SIDED:
            high = high | np.where(double_sided, DOUBLE_SIDED, 0)
        faces.words[rows] = high
        return FaceTextures(
            page=page,
            attribute=attribute,
            raw=uv_to_raw(uv, faces.subject),
            triangle=faces.triangle[rows],
            bump=bump,
            room=np.full(len(rows), faces.room),
            group=group,
        )

    def _keep_additive(self, faces: Faces, rows: NDArray[np.int64], attribute: NDArray[np.int64]) -> None:
        """Faces that were additive by their effects stay so; others that now differ lose the effect.

        ``attribute`` is changed in place to what the object texture shall have.
        """
        effect = faces.effects[rows] & _ADDITIVE_EFFECT != 0
        stays = effect & (attribute == ATTRIBUTE_ADDITIVE)
        hinted = faces.hints[rows] >= 0
        texture = self.view.attribute(np.where(hinted, faces.hints[rows], 0), faces.mask)
        attribute[stays] = np.where(hinted, texture, 0)[stays]
        faces.effects[rows] &= np.where(effect & ~stays, ~_ADDITIVE_EFFECT, -1)


def _shown(faces: Faces) -> ShownFaces:
    """Return the faces that show pages of the level."""
    rows = np.flatnonzero(has_kind(faces.keys, "PAGE"))
    return ShownFaces(faces.keys["page"][rows].astype(np.int64), faces.uv[rows], faces.triangle[rows])


def _joined(parts: list[FaceTextures]) -> FaceTextures:
    """Join what all faces ask for, so that it is looked up at once."""
    return FaceTextures(
        page=np.concatenate([part.page for part in parts] or [_NONE]),
        attribute=np.concatenate([part.attribute for part in parts] or [_NONE]),
        raw=np.concatenate([part.raw for part in parts] or [np.zeros((0, 4, 2), np.uint16)]),
        triangle=np.concatenate([part.triangle for part in parts] or [_NONE.astype(np.bool_)]),
        bump=np.concatenate([part.bump for part in parts if part.bump is not None] or [_NONE]),
        room=np.concatenate([np.asarray(part.room) for part in parts] or [_NONE.astype(np.bool_)]),
        group=np.concatenate([part.group for part in parts if part.group is not None] or [_NONE]),
    )


_NONE = np.zeros(0, np.int64)


def _nearest(colors: NDArray[np.uint8], palette: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return for every 8-bit colour (n, 3) the index of the nearest entry of a palette, never the key."""
    entries = expand_palette(palette).astype(np.int64)
    distance = ((colors.astype(np.int64)[:, None] - entries[None, 1:]) ** 2).sum(2)
    return distance.argmin(axis=1) + 1
