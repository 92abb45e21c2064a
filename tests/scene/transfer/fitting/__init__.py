"""Tests of joints fitted to skins, of animations fitted to joints, and of what animations mean."""
