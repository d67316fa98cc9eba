"""Any JSON Schema as a form, and the submitted form as a value.

The value determines the controls, and the schema their labels, hints and choices. So every value has a form, and comes
back from it unchanged. The names of controls hold all that is needed to read them back (`control_names`).

    form                        the whole, for a page: begin with a value, or read what was submitted
    values, draft               a value while it is edited; control_names: the names of its controls
    parse, serialize, to_value  from controls to a draft, back to controls, and to a value
    build, nodes                from a draft to the nodes that templates draw; scalars, containers: by type
    node_context, lookups       what the schema says about one node: schemas, branches, unions, choices, children, facts
    actions                     pressed buttons; change_type: another type or branch; defaults: new values
    errors                      problems at the controls that they are about; focus: where the focus goes
    secrets, page_tokens        secrets never return to the page; secret_marks, secret_search: which values are secret
    collapse, files             parts that are collapsed because they are large; uploaded files
"""

from playground.schema_form.form import Submission, begin, submitted
from playground.schema_form.nodes import Form
from playground.schema_form.page_tokens import NoPageTokens, PageTokenMaker
from playground.schema_form.parse import Upload
from playground.schema_form.values import ABSENT, Absent

__all__ = ["ABSENT", "Absent", "Form", "NoPageTokens", "PageTokenMaker", "Submission", "Upload", "begin", "submitted"]
