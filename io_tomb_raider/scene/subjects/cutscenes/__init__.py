"""Cutscenes: those of cutscene levels, and those of CUTSEQ files."""
