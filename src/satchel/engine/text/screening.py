"""Screening: finds credentials in text, so that they are refused on writing and quarantined on import (WRT-6).

A cheap test gates the slow detectors: most memories never reach them. It must not know records or what becomes of a finding.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

MASK = "[secret removed]"

_DETECT_SECRETS = (
    "artifactory.ArtifactoryDetector",
    "aws.AWSKeyDetector",
    "azure_storage_key.AzureStorageKeyDetector",
    "basic_auth.BasicAuthDetector",
    "cloudant.CloudantDetector",
    "discord.DiscordBotTokenDetector",
    "github_token.GitHubTokenDetector",
    "gitlab_token.GitLabTokenDetector",
    "ibm_cloud_iam.IbmCloudIamDetector",
    "jwt.JwtTokenDetector",
    "mailchimp.MailchimpDetector",
    "npm.NpmDetector",
    "openai.OpenAIDetector",
    "private_key.PrivateKeyDetector",
    "pypi_token.PypiTokenDetector",
    "sendgrid.SendGridDetector",
    "slack.SlackDetector",
    "square_oauth.SquareOAuthDetector",
    "stripe.StripeDetector",
    "telegram_token.TelegramBotTokenDetector",
    "twilio.TwilioKeyDetector",
)
# Left out: the entropy, IP and keyword plug-ins, made for source code. In prose they fire on hashes, UUIDs and plain sentences.

_TOKEN_PREFIXES = {
    "OpenAI or Anthropic key": r"sk-(?:proj-|ant-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}",
    "GitHub token": r"github_pat_[A-Za-z0-9_]{22,}|gh[pousr]_[A-Za-z0-9_]{20,}",
    "Google API key": r"AIza[0-9A-Za-z_-]{35}",
    "Hugging Face token": r"hf_[A-Za-z0-9]{30,}",
    "npm token": r"npm_[A-Za-z0-9]{36}",
    "Slack token": r"xapp-\d-[A-Za-z0-9-]{20,}",
    "Alibaba Cloud key": r"LTAI[0-9A-Za-z]{12,20}",
    "Tencent Cloud key": r"AKID[0-9A-Za-z]{13,40}",
    "Bearer token": r"[Bb]earer\s+[A-Za-z0-9._~+/-]{20,}=*",
    "Private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|\Z)",
}
_EDGE = r"(?<![A-Za-z0-9])"
_PREFIXED = {kind: re.compile(_EDGE + f"(?:{pattern})") for kind, pattern in _TOKEN_PREFIXES.items()}

_ASSIGNED = re.compile(
    r"(?<![A-Za-z])(?:pass(?:word|wd|phrase|code)|pwd|(?:client|api|app)?[ _-]?secret(?:[ _-]?(?:access[ _-]?)?key)?"
    r"|(?:api|access|private|encryption|license)[ _-]?key|(?:auth|access|api|refresh|bearer)?[ _-]?token)"
    r"[\"'”]?\s*(?:is|was|[:=：＝]|[=-]>)\s*[\"'“`]?(?P<value>[!-~]{6,})",
    re.IGNORECASE,
)
_ASSIGNED_ZH = re.compile(r"(?:密码|口令|密钥|密鑰|密碼|秘钥|令牌)\s*(?:是|为|為|[:=：＝])?\s*[\"'“「`]?(?P<value>[!-~]{6,})")

_ASSIGNED_WORD = re.compile(
    r"(?<![A-Za-z])(?:pass(?:word|wd|phrase|code)|pwd|密码|密碼|口令)[\"'”]?\s*[:=：＝]\s*[\"'“`]?(?P<value>[A-Za-z]{12,})"
    r"(?=[\"'”`]?[ \t]*(?:[,;，。；、）\r\n]|\.?\Z|\.\s))",
    re.IGNORECASE,
)
"""A run of letters that is all that was assigned: a passphrase. What goes on with further words is prose."""

_LONG_WORDS = frozenset(
    {"authentication", "administrator", "administrators", "confidential", "undocumented", "unrecoverable", "unrestricted"}
    | {"unauthenticated", "notapplicable", "notconfigured", "passwordless", "alphanumeric", "compromised", "synchronized"}
)
"""Long words that people write after the colon and that are no password."""

_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff]")

_LONG_TOKEN = re.compile(r"[A-Za-z0-9_+/=.-]{16}")
_WORDS = re.compile("pass|pwd|secret|token|key|bearer|://|密码|密碼|口令|密钥|密鑰|秘钥|令牌")
_PLAIN_ID = re.compile(r"[0-9a-f-]{1,64}")
"""Ids as tools make them, UUIDs and hashes cut short: no credential is made of these characters alone, and every record has an id."""


class Secret(NamedTuple):
    """One credential found: the kind, for a person to read, and the text itself, which must go nowhere."""

    kind: str
    value: str


def screen(*texts: str) -> tuple[str, ...]:
    """Return the kinds of credentials found in the texts, sorted and distinct; empty where there are none."""
    found = {secret.kind for text in map(_plain, texts) if _suspicious(text) for secret in _secrets(text)}
    return tuple(sorted(found))


def mask(text: str) -> str:
    """Return the text with every credential replaced by `MASK`."""
    plain = _plain(text)
    found = _secrets(plain) if _suspicious(plain) else set()
    if not found:
        return text
    for secret in sorted(found, key=lambda found: -len(found.value)):
        plain = plain.replace(secret.value, MASK)
    return plain


def texts_of(value: Any) -> Iterator[str]:
    """Yield every string inside a JSON value, keys with their values as `key: value`, so that `{"password": "…"}` is seen."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str):
                yield f"{key}: {inner}"
            else:
                yield from texts_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_of(inner)


def mask_json(value: Any) -> Any:
    """Return a JSON value with every credential in it masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _mask_member(key, inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mask_json(inner) for inner in value]
    return value


def _mask_member(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return mask_json(value)
    return MASK if screen(f"{key}: {value}") and not screen(value) else mask(value)


def _plain(text: str) -> str:
    """Return the text as it is read: without what is not seen, and in plain letters where it was written in look-alikes."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def _suspicious(text: str) -> bool:
    if _LONG_TOKEN.search(text):
        return _PLAIN_ID.fullmatch(text) is None
    return _WORDS.search(text.lower()) is not None


def _secrets(text: str) -> set[Secret]:
    found = {Secret("Password or key", value) for value in (*_assigned(text), *_assigned_words(text))}
    if not (_LONG_TOKEN.search(text) or "://" in text or "PRIVATE KEY" in text):
        return found
    found |= {Secret(kind, match[0]) for kind, pattern in _PREFIXED.items() for match in pattern.finditer(text)}
    for line in text.splitlines():
        for plugin in _plugins():
            found |= {Secret(plugin.secret_type, value) for value in _plausible(plugin, line)}
    return found


def _assigned(text: str) -> Iterator[str]:
    for pattern in (_ASSIGNED, _ASSIGNED_ZH):
        for match in pattern.finditer(text):
            value = match["value"].rstrip("\"'`.,;:!?)]}")
            # "the password is changed monthly" is prose; a value with a digit, or with letters and signs mixed, is a credential.
            if len(value) >= 6 and not value.startswith((MASK[:7], "http", "<", "{", "$")) and any(ch.isdigit() for ch in value):
                yield value


def _assigned_words(text: str) -> Iterator[str]:
    for match in _ASSIGNED_WORD.finditer(text):
        if match["value"].lower() not in _LONG_WORDS:
            yield match["value"]


def _plausible(plugin: Any, line: str) -> Iterable[str]:
    for value in plugin.analyze_string(line):
        # Inside a longer run of letters a short pattern is chance, not a key (a base64 picture, a hash).
        place = line.find(value)
        before = line[place - 1 : place] if place > 0 else ""
        after = line[place + len(value) : place + len(value) + 1]
        if not ((before.isascii() and before.isalnum()) or (after.isascii() and after.isalnum() and value[-1:].isalnum())):
            yield value


@lru_cache(maxsize=1)
def _plugins() -> tuple[Any, ...]:
    # Loaded at the first suspicious text: the package imports an HTTP client, which a command that writes nothing should not pay for.
    from importlib import import_module

    loaded = []
    for name in _DETECT_SECRETS:
        module, _, cls = name.partition(".")
        loaded.append(getattr(import_module(f"detect_secrets.plugins.{module}"), cls)())
    return tuple(loaded)
