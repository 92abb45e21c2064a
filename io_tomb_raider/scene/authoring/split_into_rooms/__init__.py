"""Rooms from large meshes and whole scenes: cut at good places into pieces that the games can hold."""
