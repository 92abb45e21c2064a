"""Export of face textures: UVs and materials of the scene into texture words of the file.

All faces and pictures of an export are resolved and packed together. Each subject with faces or pictures is a
:class:`FaceUser`; :meth:`FaceResolver.resolve` returns the :class:`ResolvedFaces`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, starmap
from typing import NamedTuple, Protocol

import numpy as np
from bpy.types import Material
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ....formats.levels.rooms import FaceSet
from ....formats.levels.textures import (
    ADDITIVE_EFFECT,
    TOO_MANY,
    Assignment,
    BlendMode,
    FaceTextures,
    ObjectTextureTable,
    color_words,
    expand_palette,
    marked_words,
    nearest_rgb_entries,
    outside_page,
    uv_to_raw,
)
from ...core.context import ExportContext
from ...core.reporting.report import first_few
from ...core.stages import Product
from ..animated_textures.animated_textures import AnimatedExport
from ..textures.keys import KeyArray, equal_keys, has_kind, join_keys
from ..textures.materials import MaterialKeys
from ..textures.pages import PageSet
from ..textures.user_images import PictureRequest, pack_pictures, pixel_boxes
from .view import TextureView, cell_at

# The lists of a mesh in the order of the file; rooms have the first two.
QUADS, TRIANGLES, COLORED_QUADS, COLORED_TRIANGLES = range(4)

_NONE = np.zeros(0, np.int64)
_NAMED = 3


@dataclass(frozen=True, eq=False)
class TexturedFaces:
    """Faces of one mesh or room of the scene that need words of the file."""

    subject: str  #: the object's name, for errors.
    #: (n, 4) int32 vertices in the winding of the file; the fourth of triangles is ignored.
    corners: NDArray[np.int32]
    uv: NDArray[np.float32]  #: (n, 4, 2) float32, likewise.
    triangle: NDArray[np.bool_]  #: (n,) bool.
    keys: KeyArray  #: (n,) of ``MATERIAL_KEY``.
    hints: NDArray[np.int64]  #: (n,) int64 raw words that the faces had, -1 for none.
    effects: NDArray[np.int64]  #: (n,) int64 raw effects words; zeros where the game has none.
    layer: NDArray[np.int32]  #: (n,) int32, rooms of TR5; zeros elsewhere.
    #: (n,) int32, the position of unrepresentable faces in the file's list; -1 for others.
    place: NDArray[np.int32]
    own_materials: list[Material]  #: the user's materials, indexed by ``page`` of keys of the kind OWN.
    room: bool  #: whether they are faces of a room.
    mask: int  #: the bits of a word that are the object texture.
    has_effects: bool  #: whether the faces' additive bit counts (meshes of TR4 and TR5).
    parked_turned: bool = False  #: whether unrepresentable faces now show their other side.

    @property
    def colored(self) -> NDArray[np.bool_]:
        """The mask of faces that show a palette color."""
        return has_kind(self.keys, "PALETTE")


class _Batch(NamedTuple):
    """The faces of several meshes, or of several rooms, which are found at once."""

    members: list[TexturedFaces]
    faces: TexturedFaces  #: those of all members, without their materials.
    owner: NDArray[np.int64]  #: (n,) the member of each.

    @classmethod
    def of(cls, members: list[TexturedFaces]) -> _Batch:
        """Return the faces of some members, at least one, that are all of rooms or all of meshes."""
        arrays = {
            name: np.concatenate([getattr(each, name) for each in members])
            for name in ("corners", "uv", "triangle", "hints", "effects", "layer", "place")
        }
        keys = join_keys([each.keys for each in members])
        faces = replace(members[0], subject="", keys=keys, own_materials=[], **arrays)
        return cls(members, faces, np.repeat(np.arange(len(members)), [len(each.keys) for each in members]))

    def counts(self, rows: NDArray[np.int64]) -> Iterator[tuple[TexturedFaces, int]]:
        """Yield the members that some of the faces belong to, and the number of these."""
        counts = np.bincount(self.owner[rows], minlength=len(self.members))
        for number in np.flatnonzero(counts).tolist():
            yield self.members[number], int(counts[number])


class _Words(NamedTuple):
    """The words of :class:`TexturedFaces`, n rows of int64."""

    texture: NDArray[np.int64]  #: the texture word.
    effects: NDArray[np.int64]  #: the effects word.
    rotation: NDArray[np.int64]  #: the corner with which the face has to begin.


class ResolvedFaces:
    """The texture words of the faces of an export, and the pages of its pictures."""

    def __init__(
        self, words: Mapping[TexturedFaces, _Words], pictures: Mapping[Hashable, FaceTextures]
    ) -> None:
        self._words = words
        self._pictures = pictures

    def picture(self, key: Hashable) -> FaceTextures:
        """Return the textures of a picture that was passed to :meth:`FaceResolver.request`."""
        return self._pictures[key]

    def listed(self, faces: TexturedFaces, kind: int) -> FaceSet:
        """Return one of the file's lists of faces, with unrepresentable faces at their positions."""
        triangle = kind in (TRIANGLES, COLORED_TRIANGLES)
        return self._listed(faces, file_order(faces, kind), 3 if triangle else 4)

    def _listed(self, faces: TexturedFaces, rows: NDArray[np.int64], count: int) -> FaceSet:
        words = self._words[faces]
        corners, rotation = faces.corners[rows, :count], words.rotation[rows]
        if rotation.any():  # new textures of TR4 and TR5 may need a face to begin with another corner
            order = (np.arange(count) + rotation[:, None]) % count
            corners = np.take_along_axis(corners, order, axis=1)
        return FaceSet(
            corners,
            words.texture[rows].astype(np.uint16),
            words.effects[rows].astype(np.uint16),
            faces.layer[rows],
        )


def file_order(faces: TexturedFaces, kind: int) -> NDArray[np.int64]:
    """Return the rows of the faces of one of the file's lists, in its order."""
    triangle = kind in (TRIANGLES, COLORED_TRIANGLES)
    colored = kind in (COLORED_QUADS, COLORED_TRIANGLES)
    listed = np.flatnonzero((faces.triangle == triangle) & (faces.colored == colored))
    is_parked = faces.place[listed] >= 0
    if not is_parked.any():
        return listed
    others, parked = listed[~is_parked], listed[is_parked]
    parked = parked[np.argsort(faces.place[parked], kind="stable")]
    # Positions count unrepresentable faces before them; np.insert counts only shown ones.
    positions = np.minimum(faces.place[parked] - np.arange(len(parked)), len(others))
    return np.insert(others, positions, parked)


class FaceUser(Protocol):
    """A subject with faces or pictures.

    Its export collects them, all subjects' faces are resolved, and it writes those :class:`ResolvedFaces`.
    """

    def collect(self, resolver: FaceResolver) -> None:
        """Read the scene, and add changed faces and pictures to the resolver."""


class FaceResolver:
    """Finds the texture words of all changed faces of an export at once."""

    def __init__(self, context: ExportContext, pages: PageSet, material_keys: MaterialKeys) -> None:
        self.context = context  #: the export.
        self.material_keys = material_keys  #: the keys of the faces' materials.
        self._pages = pages
        self._animated = AnimatedExport(context)
        # As imported, and with the animated textures of the scene.
        imported = None if self._animated.is_imported else self._animated.labels
        self.view = TextureView(context.original, imported)  #: the textures as they were imported.
        self._current = self.view.labelled(self._animated.labels)
        self._faces: list[TexturedFaces] = []
        self._requests: list[PictureRequest] = []
        self._reserved: list[NDArray[np.int64]] = []

    def request(self, request: PictureRequest) -> None:
        """Add a picture that no face shows to the pictures to pack."""
        self._requests.append(request)

    def reserve(self, page: int, rect: NDArray[np.int64]) -> None:
        """Keep a rectangle (left, top, width, height) of a page, shown by something other than a face."""
        self._reserved.append(np.concatenate([[page], rect])[None].astype(np.int64))

    def add(self, faces: TexturedFaces) -> None:
        """Add faces that need words. Raises ExportError where some have no material."""
        count = int(has_kind(faces.keys, "NONE").sum())
        if count:
            text = T(
                "{count} faces have no material: assign one to them in Edit Mode (Material Properties)",
                count=count,
            )
            raise ExportError(faces.subject, text)
        self._faces.append(faces)

    def resolve(self, users: Iterable[FaceUser]) -> ResolvedFaces:
        """Collect the faces and pictures of all users, find their words, and set the level's object textures.

        Raises:
            ExportError: where there are too many object textures, or a face's texture cannot be written.
        """
        for user in users:
            user.collect(self)
        context, animated = self.context, self._animated
        kept = slice(0, 0) if context.rebuild else slice(None)
        records = context.original.object_textures[kept]
        table = ObjectTextureTable(records, context.original.game, animated.labels[kept])
        requests = [*self._user_requests(), *animated.requests(), *self._requests]
        batches = [_Batch.of(list(group)) for _, group in groupby(self._faces, key=lambda each: each.room)]
        reserved = [*map(self._shown_boxes, batches), animated.shown(), *self._reserved]
        pictures = pack_pictures(self._pages, requests, reserved)
        animated.add_to(table, pictures)
        words = self._find_words(table, batches, pictures)
        if context.rebuild or table.added:
            context.level.object_textures = table.records
            context.rebuilt.count(T("object textures"), table.added)
        animated.finish()
        return ResolvedFaces(words, pictures)

    def _shown_boxes(self, batch: _Batch) -> NDArray[np.int64]:
        """Return the boxes of pixels that faces show by their present UVs, see :func:`pixel_boxes`."""
        faces = batch.faces
        rows = np.flatnonzero(has_kind(faces.keys, "PAGE") & ~self._keeps_word(batch))
        return pixel_boxes(faces.keys["page"][rows], faces.uv[rows], faces.triangle[rows])

    def _keeps_word(self, batch: _Batch) -> NDArray[np.bool_]:
        """Return whether each face keeps its word unchecked: users cannot edit unrepresentable faces."""
        keeps = [not (self.context.rebuild or each.parked_turned) for each in batch.members]
        return np.asarray((batch.faces.place >= 0) & np.array(keeps)[batch.owner])

    def _user_requests(self) -> list[PictureRequest]:
        requests, game = [], self.context.original.game
        for faces in self._faces:
            rows = np.flatnonzero(has_kind(faces.keys, "OWN"))
            numbers = faces.keys["page"][rows]
            # In reverse, which earlier versions packed by: files stay the same.
            for number in reversed(np.unique(numbers).tolist()):
                selected = rows[numbers == number]
                material = faces.own_materials[number]
                uv, triangle = faces.uv[selected], faces.triangle[selected]
                key = faces, number
                requests.append(PictureRequest.of(key, faces.subject, material, uv, triangle, game))
        return requests

    # Words

    def _find_words(
        self,
        table: ObjectTextureTable,
        batches: Sequence[_Batch],
        pictures: Mapping[Hashable, FaceTextures],
    ) -> dict[TexturedFaces, _Words]:
        """Find the words of all faces; textures without a record get a new one."""
        started = [(batch, *self._start(batch)) for batch in batches]
        textures = [self._face_textures(batch, words, rows, pictures) for batch, words, rows in started]
        first = np.cumsum([0, *(len(batch.members) for batch in batches)])
        owners = [batch.owner[rows] + at for (batch, _, rows), at in zip(started, first[:-1], strict=True)]
        assignment = self._find(table, textures, np.concatenate([_NONE, *owners]))
        end = 0
        result: dict[TexturedFaces, _Words] = {}
        for batch, words, rows in started:
            start, end = end, end + len(rows)
            words.texture[rows] |= assignment.index[start:end]
            words.rotation[rows] = assignment.rotation[start:end]
            ends = np.cumsum([len(each.keys) for each in batch.members])[:-1]
            parts = zip(*(np.split(each, ends) for each in words), strict=True)
            result |= zip(batch.members, starmap(_Words, parts), strict=True)
        return result

    def _find(
        self, table: ObjectTextureTable, parts: list[FaceTextures], owner: NDArray[np.int64]
    ) -> Assignment:
        """Find the records of all faces; animated faces only match frames of their animated texture.

        ``owner`` is the index of each face's :class:`TexturedFaces`, (n,).
        """
        faces = _joined(parts)
        groups = faces.group if faces.group is not None else _NONE
        if not groups.any():
            return self._find_or_add(table, faces, owner)
        assignment = table.find_in_groups(faces)
        is_lost = (groups > 0) & (assignment.index < 0)
        for number, count in zip(*np.unique(owner[is_lost], return_counts=True), strict=True):
            text = T(
                "{count} faces show no frame of the animated texture of their material and become still",
                count=count,
            )
            self.context.report.warn(self._faces[number].subject, text)
        rest = np.flatnonzero(assignment.index < 0)
        others = self._find_or_add(table, replace(faces, group=None).take(rest), owner[rest])
        assignment.index[rest], assignment.rotation[rest] = others.index, others.rotation
        return assignment

    def _find_or_add(
        self, table: ObjectTextureTable, faces: FaceTextures, owner: NDArray[np.int64]
    ) -> Assignment:
        """Find or add the records of faces; an error names the objects that need the most new ones.

        ``owner`` is the index of each face's :class:`TexturedFaces`, (n,).
        """
        try:
            return table.find_or_add(faces, exact=self.context.rebuild)
        except ExportError as error:
            if error.problem != TOO_MANY:
                raise
            is_new = table.find(faces) < 0
            keys = np.stack([owner, faces.page, faces.attribute, faces.triangle], axis=1).astype(np.int64)
            rows = np.hstack([keys, faces.raw.reshape(len(faces), -1)])[is_new]
            counts = np.bincount(np.unique(rows, axis=0)[:, 0], minlength=len(self._faces))
            order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].tolist()
            subjects = [
                T("{subject} ({counts})", subject=self._faces[index].subject, counts=counts[index])
                for index in order
            ]
            problem = T(
                "there are more object textures than the game supports, most of the new ones in {text}",
                text=first_few(subjects, _NAMED),
            )
            raise ExportError(error.subject, problem, count=error.count, limit=error.limit) from error

    def _start(self, batch: _Batch) -> tuple[_Words, NDArray[np.int64]]:
        """Return words, complete for faces that need no search, and the rows that need one."""
        faces = batch.faces
        texture = np.where(faces.hints >= 0, faces.hints, 0)
        words = _Words(texture, faces.effects.copy(), np.zeros(len(texture), np.int64))
        kept = self._agreeing(faces) | self._keeps_word(batch)
        colored = faces.colored & ~kept
        if colored.any():
            texture[colored] = self._colored_words(faces, colored)
        rows = np.flatnonzero(~kept & ~faces.colored)
        for member, _ in batch.counts(rows[has_kind(faces.keys.take(rows), "MISSING")]):
            raise ExportError(member.subject, T("faces show a texture that is missing in the level"))
        return words, rows

    def _agreeing(self, faces: TexturedFaces) -> NDArray[np.bool_]:
        """Return whether each face still shows the texture of the word that it had in the file."""
        hinted = faces.hints >= 0
        kept = np.zeros(len(faces.keys), np.bool_)
        for corners in (3, 4):
            rows = np.flatnonzero(hinted & (faces.triangle == (corners == 3)))
            colored = faces.colored[rows]
            words, effects = faces.hints[rows], faces.effects[rows]
            uv, keys = self._current.faces(words, corners, faces.mask, effects if faces.has_effects else None)
            if colored.any():
                uv[colored], keys[colored] = self._current.colored_faces(words[colored], corners)
            same = equal_keys(keys, faces.keys.take(rows)) & (uv == faces.uv[rows, :corners]).all(axis=(1, 2))
            if self.context.rebuild:
                # A rebuild replaces the object textures, so only words that index none of them remain valid.
                same &= ~has_kind(keys, "PAGE")
            kept[rows] = same
        return kept

    def _colored_words(self, faces: TexturedFaces, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        index = cell_at(faces.uv[rows, 0])
        palettes = self._pages.palettes
        if palettes.palette16 is None:
            return color_words(index, None)
        colors = expand_palette(palettes.palette).astype(np.float64)
        nearest = nearest_rgb_entries(colors, palettes.palette16[:, :3].astype(np.float64))
        return color_words(index, nearest[index])

    def _face_textures(
        self,
        batch: _Batch,
        words: _Words,
        rows: NDArray[np.int64],
        pictures: Mapping[Hashable, FaceTextures],
    ) -> FaceTextures:
        """Return the textures that faces need, and set the other bits of their words."""
        faces = batch.faces
        keys = faces.keys.take(rows)
        names = ("page", "attribute", "bump", "group")
        page, attribute, bump, group = (keys[name].astype(np.int64) for name in names)
        double_sided = keys["double_sided"].copy()
        is_own = has_kind(keys, "OWN")
        uv = np.where(is_own[:, None, None], 0, faces.uv[rows])
        raw = uv_to_raw(uv, self.context.root.name)
        for member, count in batch.counts(rows[outside_page(uv, faces.triangle[rows])]):
            text = T(
                "UVs of {count} faces extend over the edge of their page, where its last pixels are "
                "stretched",
                count=count,
            )
            advice = T("; to repeat a texture, give them a material with an image of your own")
            self.context.report.warn(member.subject, text + advice)
        if faces.has_effects:
            self._keep_additive(faces, words, rows, attribute)
        owner = batch.owner[rows]
        pairs = np.unique(np.stack([owner[is_own], keys["page"][is_own]]), axis=1).T.tolist()
        for place, number in pairs:
            member, selected = batch.members[place], is_own & (owner == place) & (keys["page"] == number)
            picture = pictures[member, number]
            page[selected], raw[selected], attribute[selected] = picture.page, picture.raw, picture.attribute
            settings = member.own_materials[number].tomb_raider
            bump[selected] = 0 if picture.bump is None else picture.bump
            double_sided[selected] = settings.double_sided
            group[selected] = settings.animation if settings.animation in self._animated.numbers else 0
        words.texture[rows] = marked_words(words.texture[rows], faces.mask, double_sided)
        return FaceTextures(
            page=page,
            attribute=attribute,
            raw=raw,
            triangle=faces.triangle[rows],
            bump=bump,
            room=np.full(len(rows), faces.room),
            group=group,
        )

    def _keep_additive(
        self, faces: TexturedFaces, words: _Words, rows: NDArray[np.int64], attribute: NDArray[np.int64]
    ) -> None:
        """Keep the additive effect of faces that are still additive, and clear it on others.

        ``attribute`` is changed in place to the blend mode that the object texture needs.
        """
        before = faces.effects[rows]
        effect = ADDITIVE_EFFECT.of(before) != 0
        kept = effect & (attribute == BlendMode.ADDITIVE)
        hinted = faces.hints[rows] >= 0
        texture = self.view.attribute(np.where(hinted, faces.hints[rows], 0), faces.mask)
        attribute[kept] = np.where(hinted, texture, 0)[kept]
        words.effects[rows] = np.where(effect & ~kept, ADDITIVE_EFFECT.put(before, 0), before)


def _joined(parts: list[FaceTextures]) -> FaceTextures:
    """Concatenate face textures, to find all of them at once."""
    return FaceTextures(
        page=np.concatenate([part.page for part in parts] or [_NONE]),
        attribute=np.concatenate([part.attribute for part in parts] or [_NONE]),
        raw=np.concatenate([part.raw for part in parts] or [np.zeros((0, 4, 2), np.uint16)]),
        triangle=np.concatenate([part.triangle for part in parts] or [_NONE.astype(np.bool_)]),
        bump=np.concatenate([part.bump for part in parts if part.bump is not None] or [_NONE]),
        room=np.concatenate([np.asarray(part.room) for part in parts] or [_NONE.astype(np.bool_)]),
        group=np.concatenate([part.group for part in parts if part.group is not None] or [_NONE]),
    )


FACE_USERS: Product[list[FaceUser]] = Product("FACE_USERS", list)
RESOLVED: Product[ResolvedFaces] = Product("RESOLVED")
