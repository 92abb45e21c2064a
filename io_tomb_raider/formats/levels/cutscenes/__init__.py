"""CUTSEQ.PAK and CUTSEQ.BIN (documentation, chapter 14)."""
