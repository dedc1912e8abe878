"""WRT-6: credentials are found, and ordinary memories are not taken for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.engine.text import screening
from satchel.engine.text.screening import MASK, mask, mask_json, screen, texts_of

LETTERS = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8z"

SECRETS = {
    "aws": "deploy with AKIA" + "IOSFODNN7EXAMPLE" + " please",
    "github": "我的令牌 ghp_" + LETTERS + "01234567 用来推送",
    "github fine-grained": "github_pat_" + LETTERS,
    "openai": "key sk-proj-" + LETTERS,
    "anthropic": "用 sk-ant-" + LETTERS + " 调用",
    "google": "AIza" + (LETTERS + LETTERS)[:35],
    "stripe": "sk_live_" + LETTERS[:24],
    "slack": "xoxb-1234567890-1234567890123-" + LETTERS.lower(),
    "private key": "-----BEGIN OPENSSH PRIVATE KEY-----\nabcdef\n-----END OPENSSH PRIVATE KEY-----",
    "basic auth": "clone https://alice:s3cretpw@example.org/repo.git",
    "password in english": "The router password is hunter2!",
    "password assignment": "PASSWORD=Tr0ub4dor&3",
    "json": '{"api_key": "a8f5f167f44f4964"}',
    "password in chinese": "家里路由器的密码是 qwe12345",
    "password in traditional chinese": "伺服器密碼：Pa55word",
    "aliyun": "阿里云 LTAI" + LETTERS[:16],
    "passphrase in chinese": "数据库密码:correcthorsebattery",
    "passphrase in english": "the wiki's password = correcthorsebattery.",
    "hidden by zero-width characters": "用 ghp_aB3dE5gH7j\u200bK9mN1pQ2sT4v\u2060W6xY8z01234567 推送",
    "in full-width letters": "密码：ｈｕｎｔｅｒ２００１",
    "bearer": "Authorization: Bearer " + LETTERS,
}

ORDINARY = [
    "The password is changed every 90 days by policy",
    "密码每三个月换一次，用户不喜欢短密码",
    "User prefers tokens over sessions; the token budget is 4000",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed the leak",
    "request id 550e8400-e29b-41d4-a716-446655440000",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "用户的钥匙放在门口的花盆下面",
    "See https://example.org/docs/authentication?page=2#tokens for the key points",
    "The key takeaway: 2026 was a good year for tea",
    "Keyboard layout is Dvorak; key repeat 200ms",
    "Meeting at 10:30, ask alice@example.org",
    "路径 src/satchel/engine/text/screening.py 第 120 行",
    "password: required",
    "Password: authentication is done by the gateway",
    "密码: administrators may reset it on request",
    "password: authentication",
    "Passwords: rotate quarterly; passwordless logins come later",
    "表情 👩\u200d💻 和全角 ＡＢＣ 都保留原样",
    "他的生日是 1990-05-17",
    "The secret ingredient is cardamom, about 3 grams",
]


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS.keys())
def test_a_credential_is_found_and_masked(text):
    assert screen(text)
    masked = mask(text)
    assert MASK in masked
    assert not screen(masked)


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_memory_passes(text):
    assert screen(text) == ()
    assert mask(text) == text


def test_a_credential_in_metadata_is_found_by_its_key():
    meta = {"config": {"password": "Sommer2026"}, "notes": ["fine", "好的"]}
    assert screen(*texts_of(meta))
    masked = mask_json(meta)
    assert masked == {"config": {"password": MASK}, "notes": ["fine", "好的"]}
    assert not screen(*texts_of(masked))


def test_the_kinds_are_named_without_the_credential():
    text = "PASSWORD=Tr0ub4dor&3 and AKIA" + "IOSFODNN7EXAMPLE"
    kinds = screen(text)
    assert "AWS Access Key" in kinds and "Password or key" in kinds
    assert not any("Tr0ub" in kind or "AKIA" in kind for kind in kinds)


@given(st.text(alphabet="0123456789abcdef-", min_size=1, max_size=64))
def test_no_detector_finds_a_credential_in_a_plain_id(text):
    """Ours: such ids are passed without asking the detectors, which is right only while none of them would find anything."""
    assert not screening._secrets(text)
