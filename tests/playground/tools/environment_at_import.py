"""A factory that cannot be imported with the key that it has."""

import os

raise ValueError(f"the key {os.environ['API_KEY']} has expired")
