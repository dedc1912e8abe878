"""Software and ways of working by what they serve, and looking them up: data. It knows nothing of what follows.

Who goes to one of these has not moved house; who goes from one to another of the same kind uses the first no more. A tool may serve for
several things, and then stands in several lines.
"""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.engine.comparing.words import words

_KINDS = """
language: rust go golang python java kotlin swift scala ruby perl php typescript javascript elixir erlang haskell clojure zig c c++ c# lua
    dart julia ocaml nim fortran cobol matlab r
frontend: react vue angular svelte solid preact ember jquery nuxt next.js
mobile: flutter ionic xamarin cordova
backend: django flask fastapi rails spring laravel express nestjs gin actix
database: postgres postgresql mysql mariadb sqlite oracle mongodb cassandra couchdb dynamodb cockroachdb tidb clickhouse oceanbase
cache: redis memcached valkey dragonfly
queue: kafka rabbitmq pulsar nats activemq rocketmq sqs
search: elasticsearch opensearch solr meilisearch typesense
chat: slack teams discord telegram whatsapp signal wechat mattermost zulip rocketchat 飞书 钉钉 企业微信 微信
meeting: zoom skype webex meet 腾讯会议
mail: gmail outlook thunderbird protonmail fastmail foxmail
cloud: aws azure gcp heroku netlify vercel cloudflare render fly.io digitalocean linode hetzner 阿里云 腾讯云 华为云
storage: s3 minio dropbox onedrive 七牛云 百度网盘
hosting: github gitlab bitbucket gitea gitee codeberg
versions: git svn subversion mercurial perforce
ci: jenkins circleci travis buildkite teamcity drone
tracker: jira trello asana linear shortcut youtrack basecamp clickup bugzilla redmine tapd 禅道
documents: confluence notion outline obsidian evernote joplin logseq onenote 语雀 石墨文档 印象笔记 有道云笔记
table: airtable excel
design: figma sketch miro penpot invision
editor: vim neovim emacs vscode jetbrains pycharm intellij sublime helix zed
browser: firefox chrome safari edge brave opera vivaldi
os: linux windows macos ubuntu debian fedora centos arch nixos android harmonyos 鸿蒙
container: docker podman containerd
orchestration: kubernetes nomad swarm
infrastructure: terraform pulumi ansible chef puppet saltstack
data: airflow spark hadoop dagster prefect flink
warehouse: snowflake bigquery redshift databricks
build: bazel gradle maven make cmake ninja
bundler: webpack vite rollup parcel esbuild turbopack
packages: npm yarn pnpm bun
python-packages: pip poetry pipenv uv conda pdm hatch
nix: nix guix
desktop: gnome kde xfce wayland x11
shell: zsh bash fish powershell
method: scrum kanban agile waterfall
music: spotify tidal deezer 网易云音乐
film: netflix hulu disney+ 爱奇艺 优酷
monitoring: prometheus datadog grafana zabbix nagios newrelic
logs: elk loki splunk graylog
tests: jest vitest mocha pytest unittest playwright selenium
formatting: black ruff prettier eslint biome flake8 pylint
proxy: nginx apache caddy traefik haproxy envoy
"""


def _read() -> dict[str, frozenset[str]]:
    """Return the kinds of each tool."""
    found: dict[str, set[str]] = {}
    for line in _KINDS.strip().replace("\n    ", " ").splitlines():
        kind, _, names = line.partition(": ")
        for name in names.split():
            found.setdefault(name, set()).add(kind)
    return {name: frozenset(kinds) for name, kinds in found.items()}


_TOOLS = _read()
_COMMON = words("c r go make meet linear black fish chef edge signal render solid express gin")
"""Names that are words as well: tools only where a capital says so."""

_WORD = re.compile(r"[A-Za-z][\w.+#-]*")
_HAN = re.compile("|".join(sorted((name for name in _TOOLS if not name.isascii()), key=len, reverse=True)))

TOOLS = frozenset(_TOOLS)
"""Every name, lower case."""


@lru_cache(maxsize=4096)
def tools_in(text: str) -> dict[str, frozenset[str]]:
    """Return the tools that a text names, lower case, each with its kinds."""
    spelled = [word.rstrip(".-") for word in _WORD.findall(text)]
    named = {word.lower() for word in spelled if word.lower() in _TOOLS and not (word.lower() in _COMMON and word.islower())}
    if not text.isascii():
        named.update(_HAN.findall(text))
    return {name: _TOOLS[name] for name in sorted(named)}


@lru_cache(maxsize=4096)
def tools_like(text: str) -> str:
    """Return the names of all tools that serve for the same as those a text names, without these; empty where it names none."""
    named = tools_in(text)
    kinds = frozenset().union(*named.values()) if named else frozenset()
    return " ".join(name for name, own in _TOOLS.items() if own & kinds and name not in named)
