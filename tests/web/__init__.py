"""Tests of the front end that need no complete page in a browser."""
