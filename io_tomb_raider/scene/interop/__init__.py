"""Exchange with other programs, and files next to levels: glTF, WAD, scripts, images, assets."""
