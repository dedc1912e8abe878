"""What a contract is: a class of tests that nobody may redefine, each tied to the requirements it proves.

It must not know pytest, so that a contract can be run without it, nor what is tested.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from satchel.conformance.requirements import REQUIREMENTS
from satchel.errors import SatchelError

F = TypeVar("F", bound=Callable[..., None])
E = TypeVar("E", bound=SatchelError)


def requirement(*ids: str, capability: str | None = None) -> Callable[[F], F]:
    """Tie a contract test to the requirements it proves. With `capability` it holds only where the subject declares that.

    Raises:
        ValueError: an id that is no requirement.
    """
    unknown = [name for name in ids if name not in REQUIREMENTS]
    if unknown or not ids:
        raise ValueError(f"a contract test proves requirements, and these are none: {', '.join(unknown) or 'nothing was named'}")

    def tie(test: F) -> F:
        test.requirements = ids  # type: ignore[attr-defined]
        test.capability = capability  # type: ignore[attr-defined]
        return test

    return tie


class Caught:
    """The error that a `refused` block was left by."""

    error: SatchelError

    @property
    def details(self) -> dict[str, Any]:
        """The error's details."""
        return self.error.details


@contextmanager
def refused(kind: type[SatchelError]) -> Iterator[Caught]:
    """Expect that the block raises exactly this kind of error, or a more special one."""
    caught = Caught()
    try:
        yield caught
    except SatchelError as error:
        if not isinstance(error, kind):
            raise AssertionError(f"expected {kind.__name__}, and {type(error).__name__} was raised: {error}") from error
        caught.error = error
        return
    raise AssertionError(f"expected {kind.__name__}, and nothing was raised")


class Contract:
    """Base of the contracts. Each test gets a fresh instance, and the subject under the name in `subject`."""

    subject: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        inherited = {name for base in cls.__mro__[1:] for name in vars(base) if name.startswith("test_")}
        redefined = sorted(inherited & vars(cls).keys())
        if redefined:
            raise TypeError(f"{cls.__name__} redefines {', '.join(redefined)}: a contract is kept as it is, or not kept")
        parts = [name for base in cls.__bases__ for name in vars(base) if not name.startswith("__") and name != "subject"]
        if len(set(parts)) < len(parts):
            raise TypeError(f"parts of {cls.__name__} hide each other's {', '.join(sorted({n for n in parts if parts.count(n) > 1}))}")

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of all tests, in order."""
        return sorted({name for base in cls.__mro__ for name in vars(base) if name.startswith("test_")})

    @property
    def mark(self) -> str:
        """What the names of this test's scopes end in."""
        mark: str = self.__dict__.setdefault("_mark", uuid.uuid4().hex[:12])
        return mark

    def scope(self, name: str = "alice") -> str:
        """Return a scope that no other test uses, the same for the same name within a test."""
        return f"user:{name}-{self.mark}"


def requirements_of(contract: type[Contract], name: str) -> tuple[str, ...]:
    """Return the ids that a test proves."""
    ids: tuple[str, ...] = getattr(getattr(contract, name), "requirements", ())
    return ids


def capability_of(contract: type[Contract], name: str) -> str | None:
    """Return the capability that a test is about; None for one that everybody must pass."""
    capability: str | None = getattr(getattr(contract, name), "capability", None)
    return capability
