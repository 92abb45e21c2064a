"""CUTSEQ.PAK and CUTSEQ.BIN (documentation, chapter 14): the public door to :mod:`.cutscenes.cutseq`."""

from .cutscenes.cutseq import Cutseq, read_cutseq

__all__ = ["Cutseq", "read_cutseq"]
