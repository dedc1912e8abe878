"""What the user says of themselves, told of the user: "I prefer tea" becomes "The user prefers tea". Quoted where that would need more.

It must not know what is worth keeping.
"""

from __future__ import annotations

import re

LIKES_EN = re.compile(
    r"I(?: really| strongly| always| usually| generally| personally| much| just| also| still| absolutely| mainly| do| mostly"
    r"| definitely"
    r"| truly| especially| particularly)*"
    r" (?P<verb>prefer|like|love|enjoy|hate|dislike|can't stand|cannot stand|can't eat|cannot eat|can't drink|cannot drink"
    r"|don't like|do not like|don't eat|do not eat|don't drink"
    r"|do not drink|don't use|do not use|(?:never|always|only) (?:use|eat|drink|work|write|read|travel|book|fly|drive|pay|buy"
    r"|wear|smoke|cook|wake|sleep)"
    r"|am allergic to|am (?:a )?vegetarian|am vegan)\b"
    r"|I'm (?P<be>allergic to|(?:a )?vegetarian|vegan)\b",
    re.IGNORECASE,
)
"""A liking or a habit, said of oneself."""

_OWN_WORDS = re.compile(r"\b(?:I|me|my|mine|we|us|our|you|your|myself)\b|\bI['’]", re.IGNORECASE)
_AM = re.compile(r"I(?:['’]m| am|['’]ve| have)(?= )", re.IGNORECASE)
_CHANGED = re.compile(
    r"I (?P<head>(?:(?:just|recently|finally|now|already) )*(?:switched|moved|changed|converted|migrated|quit|gave up"
    r"|stopped)\b|no longer )"
    r"(?P<verb>(?<=longer )[a-z]+)?",
    re.IGNORECASE,
)
_VERBS = {
    "prefer": "prefers", "like": "likes", "love": "loves", "enjoy": "enjoys", "hate": "hates", "dislike": "dislikes",
    "can't stand": "cannot stand", "cannot stand": "cannot stand", "don't like": "does not like", "do not like": "does not like",
    "can't eat": "cannot eat", "cannot eat": "cannot eat", "can't drink": "cannot drink", "cannot drink": "cannot drink",
    "don't eat": "does not eat", "do not eat": "does not eat", "don't drink": "does not drink", "do not drink": "does not drink",
    "don't use": "does not use", "do not use": "does not use",
}  # fmt: skip


def in_third_person(sentence: str) -> str:
    """Return a sentence of the user about themselves as one about the user; quoted where that would need more than a change of words."""
    if sentence.startswith("我"):
        told = _of_the_user_zh(sentence)
        return quoted(sentence, "用户说", "") if re.search("[我你您咱]", told) else told
    own = re.match(r"my\b", sentence, re.IGNORECASE)
    if own is not None and not _OWN_WORDS.search(sentence[own.end() :]):
        return f"The user's{sentence[own.end() :]}"
    found = LIKES_EN.match(sentence)
    verb = (found["verb"] or "").lower() if found else ""
    rest = re.sub(r"\bmy\b", "their", sentence[found.end() :]) if found else ""
    am = _AM.match(sentence) if found is None else None
    if am is not None and not _OWN_WORDS.search(sentence[am.end() :]):
        return f"The user {'is' if 'm' in am[0].lower() else 'has'}{sentence[am.end() :]}"
    changed = _CHANGED.match(sentence) if found is None else None
    if changed is not None and not _OWN_WORDS.search(sentence[1:]):
        verb = _of_the_user(changed["verb"]) if changed["verb"] else ""
        return f"The user {changed['head']}{verb}{sentence[changed.end() :]}"
    if found is None or _OWN_WORDS.search(rest):
        return quoted(sentence, "用户说", "The user says")
    if found["be"] or verb.startswith("am "):
        return f"The user is {found['be'] or verb[3:]}{rest}"
    if verb not in _VERBS or " always" in found[0].lower():
        return quoted(sentence, "用户说", "The user says")
    return f"The user {_VERBS[verb]}{rest}"


def _of_the_user_zh(sentence: str) -> str:
    """Return a Chinese sentence that speaks of the user where it said 我."""
    return re.sub("(?<!自)我(?!们)", "用户", sentence)


def _of_the_user(verb: str) -> str:
    """Return a verb as one says it of another: "drinks"."""
    irregular = {"have": "has", "am": "is", "can": "can", "could": "could", "was": "was"}.get(verb.lower())
    if irregular is not None:
        return irregular
    if re.search(r"(?:s|x|z|ch|sh|[^aeiou]o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def quoted(sentence: str, chinese: str, english: str) -> str:
    """Return a sentence after the words that say whose it is, in its own language."""
    is_chinese = re.search(r"[\u3400-\u9fff]", sentence) is not None
    if chinese.startswith("用户要求") and is_chinese:
        sentence = _of_the_user_zh(sentence)
    return f"{chinese}：{sentence}" if is_chinese else f"{english}: {sentence}"
