def f():
    x = (a.
b + # c
  c)
    y = a \
  + b
