"""WAD2: Tomb Editor's and WadTool's object files."""
