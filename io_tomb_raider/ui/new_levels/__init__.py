"""New levels: in File > New, and in the sidebar where there is no level yet."""
