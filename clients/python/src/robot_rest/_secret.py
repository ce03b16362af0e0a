"""Keeps keys and tokens out of logs and tracebacks."""

from __future__ import annotations

from typing import Dict, Union


class Secret:
    """A string that is not shown by ``repr``, logs or tracebacks, not even those with local variables."""

    __slots__ = ("_text",)

    def __init__(self, text: str, what: str = "key or token") -> None:
        if not isinstance(text, str):
            raise TypeError(f"The {what} must be a str, not {type(text).__name__}.")
        text = text.strip()
        if not text or not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError("A key or token must be printable ASCII without spaces.")
        self._text = text

    def header(self, name: str, scheme: str = "") -> Dict[str, HeaderValue]:
        """A header with this value, still hidden."""
        value = Secret(self._text)
        value._text = scheme + self._text
        return {name: value}

    def reveal(self) -> str:
        """The plain text; only for sending."""
        return self._text

    def __repr__(self) -> str:
        return "<secret>"

    def __reduce__(self) -> str:
        raise TypeError("A secret cannot be pickled.")


#: The value of a header.
HeaderValue = Union[str, Secret]
