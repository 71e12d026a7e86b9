x = f'{a!r:>{w}}{b=}{{}}' r'\d' b'\x00' '''t
''' u'\u00e9\N{DASH}'
y = t'{a}'
z = f"{'a' if b else {1: 2}[1]:%Y}"
