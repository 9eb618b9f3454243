"""Rooms for the users of other libraries: their names, their arguments and their numbers, apart from the estimators."""
