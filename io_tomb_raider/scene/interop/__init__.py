"""Exchange with other programs and the files next to levels: glTF, WAD, scripts, pictures, asset libraries."""
