"""The report of a run: tables, figures and one page, made from the files in its folder."""
