"""Any JSON Schema as a form, and the submitted form as a value: nothing here knows Django.

The value decides which controls there are, the schema what is said and offered, so every value has a form and comes back
from it unchanged. Names of controls say all that is needed to read them back (`names`).
"""
