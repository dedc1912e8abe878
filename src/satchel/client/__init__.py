"""Clients of a Satchel service: the same `Memory` over HTTP, sync and async. They must not know engines or stores."""

from satchel.client.asynchronous import AsyncMemory
from satchel.client.http import HttpMemory
from satchel.client.http_async import AsyncHttpMemory
from satchel.client.inprocess import InProcessTransport
from satchel.client.retry import RetryPolicy
from satchel.client.threads import to_async

__all__ = ["AsyncHttpMemory", "AsyncMemory", "HttpMemory", "InProcessTransport", "RetryPolicy", "to_async"]
