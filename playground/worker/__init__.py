"""Where tools run: everything on the far side of the server's socket.

    server process (threads, Django, secrets)
      └── worker      one per server process; knows the machine, runs no tool code
            └── parent      one per factory; imports it once
                  └── keeper      one per run at a time; starts, bounds, drains, kills, cleans up
                        └── run         one process per run: create, call, respond; never reused

All of them are single-threaded and forked from one another, so a run starts in about a millisecond. The worker alone is
started as a program, with an empty environment and isolated from Python's search path (`python -I`). A factory that
starts threads on import cannot be forked: its parent imports nothing and each of its runs imports it anew.

Nothing here knows Django. What is secret in a run (its parameters, configuration, response and output) is read and
written by the run itself; its keeper, from which later runs are forked, moves bytes without looking at them.
"""
