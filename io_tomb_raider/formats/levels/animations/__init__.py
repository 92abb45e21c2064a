"""Animations (documentation, chapter 6.2): key frames, rotations, the state machine, commands."""
