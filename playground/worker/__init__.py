"""Where tools run: everything on the far side of the server's socket.

    server process (threads, Django, secrets)
      └── worker        one per server process; knows the machine, runs no tool code
            └── parent        one per factory, set apart from the machine; imports the factory once
                  └── keeper        one per run at a time; makes the run's process ahead, bounds, drains and ends it
                        └── run           one process per run: create, call, respond; never used again

All of them are single-threaded and forked from one another, so a run begins within a millisecond or two. The worker
alone is started as a program, with an empty environment and isolated from Python's search path (`python -I`). A factory
that starts threads when it is imported cannot be forked: its parent imports nothing, and each of its runs imports it
anew.

Nothing here knows Django. What is secret in a run (its parameters, configuration, response and output) is read and
written by the run itself; its keeper, from which later runs are forked, moves bytes without looking at them.

    program, parent, keeper, calling      the four processes, in that order
    isolation, mounts, probing, linux     how processes are set apart, as far as the machine allows it
    cgroups, measuring, ending            bounds on all of a run together, and its end
    frames, messages, watching            how they speak
    loading, converting, typed, encoding, failing      from JSON to the tool and back
"""
