"""File browsers, and the bases of operators that read and write files."""
