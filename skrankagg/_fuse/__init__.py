"""The function :func:`skrankagg.fuse`: a front that starts fast, and the general code for unusual requests."""
