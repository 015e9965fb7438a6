"""Pages to look at: one self-contained HTML file of a home, of a search result or of a session.

`page` puts data into the page, the other modules collect it from a `Home`. What the browser
shows of it is in `templates/`.
"""
