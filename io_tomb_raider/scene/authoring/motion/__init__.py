"""Motions of other skeletons for models of a level: retargeting, loops, and feet on the ground."""
