"""Any JSON Schema as a form, and the submitted form as a value: nothing here knows Django.

The value decides which controls there are, the schema what is said and offered; so every value has a form, and comes
back from it unchanged. The names of controls say all that is needed to read them back (`names`).

    values, names, drafts, reading
                                a value on its way, what its controls are called, what can be read of it
    decoding, posting           from controls to a draft, and back
    schemas, choices, unions, applicable, children, facts, wording, guide
                                what a schema says at a place
    here, scalars, containers, building, leading, nodes
                                from a draft to what is drawn
    fresh, switching, operations
                                new values, other kinds and branches, pressed buttons
    applying, secret_marks, secret_search
                                what a schema says of a value whichever branches apply; which parts of it are secret
    pinning, secrets, sealing, folding, files
                                errors at their place, what stays hidden, what is too large
    submissions                 all of it, for a page
"""

from playground.schema_form.form import Submission, begin, submitted
from playground.schema_form.nodes import Form
from playground.schema_form.page_tokens import NoPageTokens, PageTokenMaker
from playground.schema_form.parse import Upload
from playground.schema_form.values import ABSENT, Absent

__all__ = ["ABSENT", "Absent", "Form", "NoPageTokens", "PageTokenMaker", "Submission", "Upload", "begin", "submitted"]
