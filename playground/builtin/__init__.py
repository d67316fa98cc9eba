"""The tools that come with Toolshelf."""

FACTORIES: tuple[str, ...] = ()
