"""The English words by which short memories are compared: data. It knows nothing of how they are used.

Canonical keys begin with `@`. Words under one key say the same in a short memory; a key that ends in `!` also denies, and `cue+@key` is a
cue and a word. Only what holds in nearly every short memory stands here: a wrong synonym merges two different things.
"""

from __future__ import annotations

from satchel.engine.comparing.words import table, words

DROPPED = words(
    """
    a about also am an and any are as at be because been being both but did do does fact for get gets got had has have having he
    her here hers him his i if in is it its just like me mine my note noted of on or our ours please quite rather really
    remember she since so some that the their them then there these they this those to too us user users very was we were which
    who whom will with
    """
)
"""Words without weight: a difference in them is no difference. What they deny, date or condition is taken from other words."""

DENIALS = words(
    """
    aren't barely can't cannot couldn't didn't doesn't don't hadn't hardly hasn't haven't isn't mustn't n't neither never no nobody
    none nor not nothing shouldn't unable wasn't weren't without won't wouldn't
    """
)
"""Words that deny."""

ORDINALS = {
    f"{number}{ending}": word
    for number, (word, ending) in enumerate(
        zip(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),  # noqa: SIM905
            ["st", "nd", "rd", *["th"] * 9],
            strict=True,
        ),
        1,
    )
}
"""Ordinals in digits, by which words they are written."""

_WORDS = """
@like: like, likes, liking, love, loves, enjoy, enjoys, enjoying, fond of, is into, keen on, a fan of, prefer, prefers, favor, favors
@like: favours
@like!: dislike, dislikes, hate, hates, loathe, loathes, detest, detests, can't stand, cannot stand, averse to
@work: work at, works at, work for, works for, working at, working for, employed by, employed at, has a job at, have a job at, job is at
@live: live in, lives in, living in, live at, lives at, reside in, resides in, residing in, residence is in, home is in, home is at
@study: study, studies, studying, learn, learns, learning
@use: use, uses, using, utilize, utilizes, rely on, relies on
@run: runs, run
@lead: lead, leads, led, leading, leader, in charge of, head of, heads, manages, responsible for, takes care of, take care of
@lead: looks after
@need: need, needs, needed, require, requires, required
@allow: allow, allows, permits, permit
@store: store, stores, stored, keep, keeps, kept, saves, saved
@allergy: allergic, allergy, allergies
@birthday: birthday, date of birth, birth date, birthdate, was born
@graduate: graduate, graduated, graduates, degree
@deadline: deadline, due, due date
@appointment: appointment
@book: book, books, booking, reserve, reserves, reserving
@phone: phone, telephone, mobile, cell, cellphone
@address: address
@mail: email, e-mail, mail
@car: car, automobile
@kid: kid, kids, child, children
@big: big, large
@job: job, profession, occupation
@movie: movie, movies, film, films
@dollar: dollar, dollars, usd, bucks
@euro: euro, euros, eur
@pound: pounds, gbp
@km: km, kms, kilometre, kilometres, kilometer, kilometers
@kg: kg, kgs, kilogram, kilograms, kilo, kilos
@hour: hour, hours, hr, hrs
@minute: minute, minutes, min, mins
@cost: cost, costs, price, priced
@must: must, has to, have to, should, ought to, needs to, need to
@always: always
@want: want, wants, would like
@share: share, shares
@attend: attend, attends, attended, attending, participate, participates, participated, participated in, join, joins, joined
@support: supports, supporter, advocate, advocates, in favor of, in favour of
@support!: opponent, opposes, oppose, opposed to
@speak: speak, speaks, fluent in, speaks fluent
@only: only, exclusively, solely
@together: together
@again: again
@already: already
@still: still
@most: at most, no more than, maximum, up to, not more than
@least: at least, no less than, minimum, not less than
@planned: planned, scheduled, slated
@happen: takes place, take place, is held, happens, occurs
@agree: agreed, agree, agrees, decided, decide, decides
@package: parcel, package
@wedding: married to, spouse, wife, husband
@buy: buy, buys, purchase, purchases
@bought: bought, purchased
@start: start, starts, begin, begins
@end: end, ends, finish, finishes
@sleep: goes to bed, go to bed, going to bed, goes to sleep, go to sleep, going to sleep
"""

_CUES = """
stop: no longer, any more, anymore, stopped, quit, quits, gave up, given up, ceased, no more
ended: used to
change+@use: switched to, switch to, switches to, migrated to, migrating to, migrate to
change: switched from, switched, moved to, moved, moving to, move to, moves to, changed to, changed, changed from, replaced by
change: replaced with, replaced, relocated, became, becomes, instead, renamed to, renamed, pushed back, postponed to, postponed
change: extended to, raised to, increased to, lowered to, reduced to, shortened to, cut to
change: delayed to, delayed until, delayed
change: rescheduled to, rescheduled, brought forward, escalated to, upgraded to, transferred to
now: now, currently, as of now, nowadays, these days, from now on, at present
correct: correction, update, updated, corrected, actually, in fact, to be exact, rather than, instead of
plan: plans to, plan to, planning to, about to, going to, intends to, intend to, will be, is considering, considering, thinking of
plan: thinking about, hopes to, hope to, wants to, want to, would like to, soon
maybe: maybe, might, may, possibly, perhaps, probably, could, seems, apparently, presumably, likely
more: also, too, as well, another, additionally, besides, in addition
past: formerly, previously, once, in the past, was, were, had
newly: new
"""

PHRASES: dict[str, tuple[str, str]] = {word: ("word", key) for word, key in table(_WORDS).items()} | {
    word: ("cue", key) for word, key in table(_CUES).items()
}
"""Words and phrases, lower case: what each is (`word` or `cue`), and its key. Cues tell how a memory stands to time and to others."""

MOST_WORDS = max(len(phrase.split()) for phrase in PHRASES)
