"""Factories: which Python code, or which source, runs a tool.

discover, registry          find installed factories, without and with importing them
info, inspect               what a factory says about itself, read in a process of its own
connections                 the factory of a tool: an installed one, or a connection to its source
specs                       the spec in a factory compared with the catalog's
rescans, factory_settings   reload packages; environment, network and limits of single factories
"""
