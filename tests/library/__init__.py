"""The package as a library: tournaments, games and ratings for programs."""
