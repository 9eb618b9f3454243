"""The function :func:`skrankagg.fuse`, with fast code for usual requests and general code for all other requests."""
