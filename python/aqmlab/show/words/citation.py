"""How aqmlab is cited: what `CITATION.cff` says, as BibTeX."""

from __future__ import annotations

FILE = "aqmlab.bib"
TITLE = "aqmlab: what queue management does to the people browsing the web"
AUTHORS = "The aqmlab authors"


def bibtex(versions: str, *, note: str = "") -> str:
    fields = {
        "title": f"{{{TITLE}}}",
        "author": f"{{{AUTHORS}}}",
        "howpublished": "Computer program",
        "note": "; ".join(filter(None, [f"Version {versions}", note])),
    }
    inside = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
    return f"@misc{{aqmlab,\n{inside}\n}}\n"
