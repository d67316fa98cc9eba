"""The processes in which tools run: everything on the other side of the server's socket.

    server process (threads, Django, secrets)
      └── worker        one per server process; sets up isolation, runs no tool code
            └── zygote        one per factory, isolated from the machine; imports the factory once
                  └── run supervisor        one run at a time; prepares, limits, relays and ends it
                        └── run           one process per run: create, call, respond

All of them are single-threaded and forked from one another, so a run begins within a millisecond or
two. Only the worker is started as a program, with only the variables that every tool may see and
isolated from Python's search path (`python -I`). A process with threads cannot be forked safely: if
importing a factory starts threads, its zygote imports nothing, and each of its runs imports the
factory again.

Only the run itself reads and writes its secrets (parameters, configuration, response and output).
Its run supervisor, from which later runs are forked, relays the bytes without reading them.

    __main__, zygote, run_supervisor, run_process    the four processes, in that order
    sandbox, mounts, scratch, probe, syscalls    how processes are isolated
    network, socket_filter, proxy                the network of a factory other than "all"
    cgroups, memory_use, kill                      limits on all processes of a run, and their end
    protocol, fd_passing, relay                  how the processes communicate
    loader, file_frames, tracebacks              describe a factory, a file and an exception

The package `toolshelf_tools` (in `sdk/`) has the parts that authors of tools can use, too:
importing a factory, and converting JSON to the tool's types and back.
"""
