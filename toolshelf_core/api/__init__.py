"""What operations of the API share: schemas, problems, headers, bodies, the JSON of values."""
