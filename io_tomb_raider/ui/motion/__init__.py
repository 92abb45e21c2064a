"""Motions of other skeletons: operators, panel and presets of bones."""
