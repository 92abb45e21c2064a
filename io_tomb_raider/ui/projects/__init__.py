"""Projects of level editors: import, export, panel."""
