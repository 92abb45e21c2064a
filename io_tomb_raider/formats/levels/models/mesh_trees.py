"""Mesh trees (documentation, chapter 6.2.1): the hierarchy of a model's meshes.

A model with m meshes has m - 1 nodes of four words: flags, and the offset of a mesh from its parent. The
flags control a stack of parents, so meshes are in depth-first order: all descendants of a mesh precede its
next sibling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.columns import Columns
from ...base.bytes.records import I32
from ...base.errors import ExportError, FormatError
from ...base.messages import T

POP, PUSH = 1, 2
NODE_WORDS = 4
# Frames of 255 words hold 246 rotations; the limit leaves room for unusual files of TR1.
_MOST_MESHES = 1024
# Models may share meshes. A file whose models refer to more than this many times its mesh pointers is made to
# exhaust memory.
_MOST_SHARING = 8


@dataclass(frozen=True, eq=False)
class MeshTree(Columns):
    """The hierarchy of the m meshes of one model."""

    #: (m,) int64, the number of each mesh's parent, less than its own; -1 for the root.
    parents: NDArray[np.int64]
    #: (m, 3) int64, from the parent's origin in world units; 0 for the root.
    offsets: Annotated[NDArray[np.int64], 3]
    #: (m,) int64, the flags of the nodes in the file, including unknown bits; 0 for the root.
    flags: NDArray[np.int64]

    def origins(self) -> NDArray[np.int64]:
        """Return the origins of the meshes without rotations and with the root at 0, shape (m, 3)."""
        result = self.offsets.copy()
        for mesh, parent in enumerate(self.parents.tolist()):  # each mesh depends on its parent
            if parent >= 0:
                result[mesh] += result[parent]
        return result


def decode_mesh_trees(
    models: NDArray[np.void], mesh_trees: NDArray[np.int32], mesh_pointers: int
) -> list[MeshTree]:
    """Decode the mesh trees of all models (documentation, chapters 5.4 and 6.2.1).

    Args:
        mesh_trees: the words of all trees, i32.
        mesh_pointers: the number of mesh pointers of the level, which limits the models' meshes.

    Raises:
        FormatError: if a model's meshes or nodes are outside the level, or the models refer to too many.
    """
    most = max(_MOST_SHARING * mesh_pointers, _MOST_MESHES)
    claimed = np.cumsum(models["meshes"].astype(np.int64))
    if len(claimed) and claimed[-1] > most:
        element = int(np.searchsorted(claimed, most, side="right"))
        limit = f"the {mesh_pointers} mesh pointers at most {_MOST_SHARING} times"
        expected, actual = f"models that together claim {limit}", f"a claim of {int(claimed[-1])}"
        raise FormatError("models", expected, actual, element=element)
    trees = []
    for index, model in enumerate(models):
        count, first, word = int(model["meshes"]), int(model["first_mesh"]), int(model["mesh_tree"])
        if count > _MOST_MESHES:
            raise FormatError("models", f"at most {_MOST_MESHES} meshes", str(count), element=index)
        if count and first + count > mesh_pointers:
            expected = f"meshes among the {mesh_pointers} mesh pointers"
            raise FormatError("models", expected, f"{first} to {first + count - 1}", element=index)
        size = NODE_WORDS * max(count - 1, 0)
        if size and word + size > len(mesh_trees):
            expected = f"a mesh tree within {len(mesh_trees)} words"
            raise FormatError("models", expected, f"words {word} to {word + size - 1}", element=index)
        trees.append(decode_mesh_tree(mesh_trees[word : word + size], count))
    return trees


def decode_mesh_tree(words: NDArray[np.int32], meshes: int) -> MeshTree:
    """Decode the tree of one model: four words, i32, for each mesh except the first.

    A pop from an empty stack leaves a mesh without a parent.
    """
    nodes = np.zeros((meshes, NODE_WORDS), np.int64)
    nodes[1:] = words.reshape(-1, NODE_WORDS)
    flags = nodes[:, 0] & 0xFFFFFFFF
    parents = [-1] * min(meshes, 1)
    stack: list[int] = []
    for mesh, flag in enumerate(flags[1:].tolist(), 1):  # each depends on the stack after the last one
        parent = mesh - 1
        if flag & POP:
            parent = stack.pop() if stack else -1
        if flag & PUSH:
            stack.append(parent)
        parents.append(parent)
    return MeshTree(np.array(parents, np.int64), nodes[:, 1:], flags)


def tree_flags(parents: Sequence[int], names: Sequence[str] | None = None) -> NDArray[np.int64]:
    """Return the flags of a hierarchy, as the inverse of :func:`decode_mesh_tree`.

    Args:
        parents: (m,), the parent of each mesh, -1 for none.
        names: of the meshes, for errors.

    Returns:
        (m,) flags; that of the first mesh is 0.

    Raises:
        ExportError: if meshes are not in depth-first order.
    """
    last_child = {parent: mesh for mesh, parent in enumerate(parents)}
    flags = np.zeros(len(parents), np.int64)
    path: list[int] = []  # from a root down to the last mesh: possible parents of the next
    for mesh, parent in enumerate(parents):
        while path and path[-1] != parent:
            path.pop()
        if parent >= 0 and not path:
            problem = T("it is out of order: all children of a mesh must follow it before its next sibling")
            raise ExportError(names[mesh] if names else T("mesh {number}", number=mesh), problem)
        path.append(mesh)
        if mesh and parent < 0:
            flags[mesh] = POP | PUSH  # as in real files with a pop from an empty stack
        elif mesh:
            flags[mesh] = (POP if parent != mesh - 1 else 0) | (PUSH if last_child[parent] != mesh else 0)
    return flags


def encode_mesh_tree(tree: MeshTree, names: Sequence[str] | None = None) -> NDArray[np.int32]:
    """Return the nodes of one model with unchanged flags, as the inverse of :func:`decode_mesh_tree`.

    Raises ExportError if an offset does not fit 32 bits.
    """
    far = (tree.offsets < -0x80000000) | (tree.offsets > 0x7FFFFFFF)
    for mesh, axis in np.argwhere(far).tolist():
        name = names[mesh] if names else f"mesh {mesh}"
        problem = T("it is too far from its parent")
        raise ExportError(name, problem, count=int(tree.offsets[mesh, axis]), limit=0x7FFFFFFF)
    nodes = np.empty((max(len(tree) - 1, 0), NODE_WORDS), I32)
    nodes[:, 0] = tree.flags[1:].astype(np.uint32).view(np.int32)
    nodes[:, 1:] = tree.offsets[1:]
    return nodes.ravel()
