"""Tests of the front end, apart from what is seen in a browser."""
