def tabbed():
	if a:
		b = 1
	return b

def after_form_feed():
    return 1
