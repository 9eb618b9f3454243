"""Discovery of aggregators, and checks for your own."""
