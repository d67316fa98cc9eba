"""What operations of the API share: schemas, problems, headers, bodies and how values are printed."""
