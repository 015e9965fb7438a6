"""HTML pages of a home, of a search result and of a session, each one self-contained file.

`page` renders a page; the other modules collect its data from a `Home`. The page's script and
style are in ``templates/``.
"""
