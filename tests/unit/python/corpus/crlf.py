def crlf():
    """two
    lines"""
    return """a
b"""
