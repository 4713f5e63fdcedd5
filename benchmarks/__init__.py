"""Measurements, mostly ratios within one run; their values fail no test."""
