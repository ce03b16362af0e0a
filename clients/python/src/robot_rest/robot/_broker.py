"""Where the broker is, and who the robot is there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Union
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class BrokerAddress:
    host: str
    port: int
    tls: bool
    user: str
    password: Optional[str] = field(repr=False)
    ca: Optional[str] = None


def broker_address(url: str, robot_id: str, ca: Union[str, Path, None]) -> BrokerAddress:
    """Reads `mqtt://` or `mqtts://user:password@host:port`. Without a password in it, ROBOT_MQTT_PASSWORD or the file named
    by ROBOT_MQTT_PASSWORD_FILE has it. Raises ValueError."""
    if not re.fullmatch("[A-Za-z0-9_-]{1,64}", robot_id):
        raise ValueError("a robot id consists of 1 to 64 letters, digits, - and _")
    parts = urlsplit(url)
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path.strip("/"):
        raise ValueError("the address of the broker must look like mqtts://user:password@host:8883")
    tls = parts.scheme == "mqtts"
    if ca is not None and not tls:
        raise ValueError("ca= is for mqtts://")
    password = unquote(parts.password) if parts.password is not None else _password()
    user = unquote(parts.username) if parts.username else robot_id
    port = parts.port or (8883 if tls else 1883)
    return BrokerAddress(parts.hostname, port, tls, user, password, None if ca is None else str(ca))


def _password() -> Optional[str]:
    if "ROBOT_MQTT_PASSWORD" in os.environ:
        return os.environ["ROBOT_MQTT_PASSWORD"]
    path = os.environ.get("ROBOT_MQTT_PASSWORD_FILE")
    return Path(path).read_text("utf-8").rstrip("\n") if path else None
