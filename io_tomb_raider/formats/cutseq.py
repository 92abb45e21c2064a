"""Public API for CUTSEQ.PAK and CUTSEQ.BIN (documentation, chapter 14), see :mod:`.cutscenes.cutseq`."""

from .cutscenes.cutseq import Cutseq, read_cutseq

__all__ = ["Cutseq", "read_cutseq"]
