from . import a as b, c
from ..d.e import *
import f.g, h.i as j
try:
    import k
except ImportError:
    k = None
if TYPE_CHECKING:
    from l import m
