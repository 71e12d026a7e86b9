def f(:
"""
@pk.workunit
def g(i): pass
