"""One HTML file that finds marks in the browser, with no server and no connection."""
