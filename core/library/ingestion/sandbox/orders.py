"""Messages between the parent and a template, over a socket that no copy holds."""

import struct

COPY = b"c"  # with two pipes: where the copy reads, and where it writes
END = b"e"  # of the copy that was made last, whatever it does; answered with EXIT_CODE once it is gone
EXIT_CODE = struct.Struct(">i")  # as subprocess has it: the number of a signal is negative
