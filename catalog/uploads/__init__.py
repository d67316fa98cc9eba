"""Uploads of specs and of documents in other formats: in a request up to a limit, by a command any number.

multipart.py           check the parts of a form while it is read
files.py               find the files that a command line names
readers.py             split files into the texts of specs
choices.py             how imported tools are published: which to leave out, and their new ids
parse.py               turn these texts into specs, and convert documents in other formats
documents.py           make a source of such a document, and sync it
entries.py             the results: an entry for each spec, and their numbers
store.py               store the specs, each with its own outcome
exported_metadata.py   restore what people set for the tools of an export
limits.py              the bounds of an upload in a request
reports.py             publish or check files in a request, with a report
checked_files.py       the files of a check, which its page sends again
"""
