"""Requirements of Tomb Editor for projects, of its loader and of its compiler."""
