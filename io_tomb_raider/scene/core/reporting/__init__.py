"""Reports, results and progress of long work."""
