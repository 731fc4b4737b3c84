"""A filter of system calls (seccomp), as the kernel reads it: what no tested program needs is refused.

bubblewrap has no limit on processes, and the limit of ``setrlimit`` does not hold for root. A program that
cannot start a process or a thread, and cannot keep memory outside of its address space, is bounded by
the limits of one process.
"""

from __future__ import annotations

import platform
import struct

from stela_core import StelaError

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kernel's number of each architecture (``AUDIT_ARCH_*`` in ``linux/audit.h``)."""

X32 = 0x40000000
"""First number of x86_64's other interface (x32): its calls are counted from here on."""

REFUSED: dict[str, tuple[int | None, int | None]] = {
    # Processes and threads.
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "clone3": (435, 435),
    # Other namespaces and mounts.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    # Memory that no limit of a process counts.
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Other processes, the network, and parts of the kernel in which holes were often found.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "socket": (41, 198),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
}
"""Numbers on x86_64 and aarch64 (``asm/unistd_64.h``, ``asm-generic/unistd.h``)."""

LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
"""Instructions of the filter: BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_RET|K."""
NUMBER_AT, ARCHITECTURE_AT = 0, 4
"""Offsets in bytes of the number and the architecture in ``struct seccomp_data``."""
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000
"""Answers of the filter: SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO with EPERM, SECCOMP_RET_KILL_PROCESS."""


def seccomp_filter(machine: str | None = None) -> bytes:
    """The filter, for ``bwrap --seccomp``.

    Args:
        machine: the processor, as ``platform.machine()`` names it; by default this one.

    Raises:
        StelaError: the numbers of its system calls are not known here.
    """
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        raise StelaError(
            f'programs are run in a sandbox on {" and ".join(ARCHITECTURES)} only, and this is "{machine}".',
            "leave out the metric code-pass, or measure on one of those",
        )
    column = list(ARCHITECTURES).index(machine)
    numbers = [pair[column] for pair in REFUSED.values()]
    tests = [(EQUAL, number) for number in numbers if number is not None]
    if machine == "x86_64":
        tests.append((AT_LEAST, X32))
    lines = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
        # Each test that is met jumps over the other tests and ALLOW.
        *((test, len(tests) - place, 0, number) for place, (test, number) in enumerate(tests)),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
