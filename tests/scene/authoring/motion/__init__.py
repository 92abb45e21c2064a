"""Tests of motions of other skeletons."""
