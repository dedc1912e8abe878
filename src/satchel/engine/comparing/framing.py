"""What stands around a short memory and tells nothing of it: "please note that", "the user mentioned that", 请记住; and contractions.

It must not know what the memory says. What may be doubted or denied ("the user thinks that", "did not say that") is no frame.
"""

from __future__ import annotations

import re

_SAYS = r"(?:mentioned|said|says|stated|states|told (?:me|us)|tells (?:me|us)|noted|reported|confirmed|explained|shared|indicated|mentions)"
_NOTES = (
    r"(?:(?:it is |it's )?worth (?:noting|remembering)|(?:please |do |kindly |always )*(?:note|remember|keep in mind|bear in mind|be aware"
    r"|don't forget|do not forget)|for (?:your|the) (?:information|record)|fyi|reminder|note to self|nb|as a reminder|just so you know)"
)
_FRAME = re.compile(
    rf"^\s*(?:(?:{_NOTES})(?: that\b|\s*[:,]| ?[-–—] )\s*|(?:{_NOTES}) (?=the |my |i |user)|(?:note|fact|preference|memory|info)\s*:\s*)",
    re.IGNORECASE,
)
_SAID = re.compile(
    rf"^\s*(?:the user|user|i)(?: has| have| also| just| recently)* {_SAYS}(?: that)? "
    r"(?:(?P<he>he|she|they|i)(?= |')|(?P<his>his|her|their|my) |(?=the |there |[A-Z]))",
    re.IGNORECASE,
)
_FRAME_HAN = re.compile(
    r"^\s*(?:请|麻烦|要|务必|帮我)*(?:记住|记得|记一下|记下|注意|备注|提醒一下|牢记|知悉)[:：,，]?\s*(?!要|别|不|把|给|带|去|买|吃|打|关|开|锁|在|每)"
)
_SAID_HAN = re.compile(
    r"^\s*(?:用户|我)(?:曾经?|刚才?|也|还)?"
    r"(?:(?:提到过?|表示过?|说过|透露过?|反映|告诉(?:我|过我|我们)|指出|提及)(?:说)?[:：,，]?\s*|说(?=[他她:：,，]|自己)[:：,，]?\s*)"
    r"(?P<he>他自己|她自己|自己|他|她)?(?![们俩])"
)

_CONTRACTED = re.compile(
    r"\b(?:(?P<am>i)'m|(?P<are>you|we|they|there|who)'re|(?P<have>i|you|we|they)'ve|(?P<will>i|you|he|she|it|we|they|that|there)'ll"
    r"|(?P<would>i|you|he|she|we|they|user)'d(?= (?:like|rather|prefer|love)\b)"
    r"|(?P<is>he|she|it|that|there|here|what|who|where)'s)(?![\w'])",
    re.IGNORECASE,
)


def bare(text: str) -> str:
    """Return a folded text without the frame it stands in, and with contractions written out."""
    if "'" in text:
        text = _CONTRACTED.sub(lambda match: f"{match[match.lastgroup or 0]} {match.lastgroup}", text)
    inner = _unframed(text)
    return inner if inner.strip(" .。") else text


def _unframed(text: str) -> str:
    for frame in (_FRAME, _FRAME_HAN):
        text = frame.sub("", text, count=1)
    said = _SAID.match(text)
    if said is not None:
        user = "The user " if said["he"] else "The user's " if said["his"] else ""
        rest = text[said.end() :].lstrip()
        return user + (re.sub(r"^(?:am|are)\b", "is", re.sub("^have\\b", "has", rest)) if said["he"] else rest)
    said = _SAID_HAN.match(text)
    if said is not None and len(text) - said.end() > 1:
        return ("用户" if said["he"] or not text[said.end() :].startswith("用户") else "") + text[said.end() :]
    return text
