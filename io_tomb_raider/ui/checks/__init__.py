"""Check Level, and the list of what checks and exports have found."""
