try: pass
except A, B, C: pass
try: pass
except *D: pass
type[0] = 1
type (x).y = 2
