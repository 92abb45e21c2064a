"""A whole level: importing, exporting, its tools and its panel."""
