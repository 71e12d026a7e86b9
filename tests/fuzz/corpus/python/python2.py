print x
exec "y"
raise E, "m"
x = `y` <> 0777L
