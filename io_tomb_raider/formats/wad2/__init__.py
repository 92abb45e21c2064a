"""Tomb Editor's and WadTool's object files: WAD2."""
