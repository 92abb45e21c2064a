"""Cutscenes of cutscene levels, and of CUTSEQ files."""
