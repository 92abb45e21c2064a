"""What new levels begin with."""
