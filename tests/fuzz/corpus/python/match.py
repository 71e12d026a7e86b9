match a, b:
    case {"k": 1, **r} | C(x, y=[1, *_]) as z if z: pass
    case -1+2j | None | "s" "t": pass
