"""English words that are never replaced: WordNet knows ``a`` as angstrom and ``in`` as inch."""

_DETERMINERS = """
a an the this that these those such same other another each every either neither both all any some no none
one many much more most few less least several own
"""
_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her
hers herself it its itself they them their theirs themselves who whom whose which what whoever whatever
whichever someone anyone everyone somebody anybody everybody nobody nothing something anything everything
"""
_AUXILIARIES = """
am is are was were be been being have has had having do does did doing done will would shall should can could
may might must ought need dare ll ve re don doesn didn isn aren wasn weren hasn haven hadn won wouldn
shouldn couldn
"""
_PARTICLES = """
and or but nor so yet if then else because as until while though although unless since whether than of at by
for with about against between into through during before after above below to from up down in out on off
over under within without upon among along across behind beyond near toward towards per via despite except
like unlike onto throughout underneath beneath beside besides inside outside around amid again further once
here there when where why how ever never not only just too very also even still already however thus hence
therefore etc
"""

FUNCTION_WORDS = frozenset((_DETERMINERS + _PRONOUNS + _AUXILIARIES + _PARTICLES).split())
"""Determiners, pronouns, auxiliaries, conjunctions, prepositions and particles, lower case."""
