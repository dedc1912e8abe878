"""Words that say nothing about what a question asks, English and Chinese: data. It knows nothing of segmentation."""

_WORDS = """
a an the this that these those it its i me my mine you your yours he him his she her hers we us our ours they them their theirs
is am are was were be been being do does did doing done has have had having can could will would shall should may might must
what when where who whom whose which why how there here of to in on at by for from with about into over after before than then
and or but so if as not no yes up out off just also too any some
"""

PARTICLES = frozenset("的了着是也就都吗嗎呢吧啊呀嘛哦啦得之而又与與及或很")
"""Chinese characters that, alone or together, ask for nothing."""

STOP_WORDS = frozenset(_WORDS.split())
"""Lower case, contractions already taken off ("don't" is `do`)."""
