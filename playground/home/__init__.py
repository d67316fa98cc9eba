"""The parts of the first page that come from runs."""
