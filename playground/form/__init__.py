"""Any JSON Schema as a form, and the submitted form as a value.

The value determines the controls, and the schema their labels, hints and choices. So every value
has a form, and comes back from it unchanged. A submitted form is read from the names of its
controls alone, without the schema.

    form                        the entry points: open a form with a value, or read a submitted one
    values, draft               a value while it is edited; control_names: the names of its controls
    parse, serialize, to_value  from controls to a draft, back to controls, and to a value
    build, nodes, controls      from a draft to the nodes that templates draw, and which of them
                                gets the focus; scalars, containers: by type
    node_context, lookups       the schema's part of one node: applicable, unions, choices,
                                children, kinds, facts
    actions                     pressed buttons; change_type: another type or branch;
                                defaults: new values
    errors                      validation errors at the controls that they concern
    secrets, page_tokens        secrets never return to the page; secret_marks, secret_search:
                                which values are secret
    collapse, files             large parts are collapsed; uploaded files
"""

from playground.form.form import Submission, begin, read_submission
from playground.form.nodes import Form
from playground.form.page_tokens import NoPageTokens, PageTokenMaker
from playground.form.parse import Upload
from playground.form.values import ABSENT, Absent

__all__ = [
    "ABSENT",
    "Absent",
    "Form",
    "NoPageTokens",
    "PageTokenMaker",
    "Submission",
    "Upload",
    "begin",
    "read_submission",
]
