"""Connections to other servers: which addresses they may reach, their time and their bytes.

`addresses` decides, `clients` makes HTTP clients that obey. The processes of runs use both, too;
`toolshelf_core.site_addresses` reads the site's policy from its settings.
"""
