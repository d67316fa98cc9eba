"""Lint in the catalog: its pages, waivers, and fixes that are published."""
