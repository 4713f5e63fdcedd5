"""A sandbox made of the kernel's namespaces, for machines on which bubblewrap is not installed.

It is a program of its own, which `pwtourney.sandbox.unshare` starts once for each bot. So it uses
the standard library only, and nothing else of pwtourney's.
"""

__all__ = ["inside", "kernel", "landlock", "layout"]
