"""Configurations of tools: the one that a run uses, those that people save, and their secrets.

compiled_spec, binding            a spec with its schemas compiled; a configuration for a run
secret_members                    which members are secret, and the redactor that knows their values
saved, sharing, mcp_choice        save, share with groups, choose one for calls by agents
models, api                       the tables, and the operations
"""
