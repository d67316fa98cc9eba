"""Uploads: one spec or a hundred thousand, as files or lists of other formats.

multipart.py           check the parts of a form while it is read
files.py               find the files that a command line names
readers.py             split files into the texts of specs
choices.py             how imported tools are published: which to leave out, and their new ids
parse.py               turn these texts into specs, and import other formats
entries.py             the results: an entry for each spec, and their numbers
store.py               store the specs, each with its own outcome
exported_metadata.py   restore what people set for the tools of an export
jobs.py                run large uploads in the background
"""
