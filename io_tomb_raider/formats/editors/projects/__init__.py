"""Projects of level editors: Tomb Editor's `.prj2`, and the old room editor's `.prj`."""
