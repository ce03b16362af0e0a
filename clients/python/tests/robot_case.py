"""A robot without a broker: messages go straight to what judges them."""

import json
import logging
import time
import unittest
from concurrent.futures import Future
from typing import Any, Callable, Dict, List, Optional

from robot_rest.robot import Robot
from robot_rest.robot._messages import answer_to
from robot_rest.robot._parts import Parts


logging.getLogger("robot_rest.robot").setLevel(logging.CRITICAL + 1)  # what is logged here is meant to happen


class RobotCase(unittest.TestCase):
    def make(self, **options: Any) -> Robot:
        return Robot("robot-1", broker="mqtt://broker.invalid", **options)

    def begin(self, robot: Robot) -> Parts:
        """Starts it as if its broker had answered a moment ago, and for ever."""
        parts = robot._prepare()
        parts.safety.heard(time.monotonic() + 3600)
        return parts

    def send(self, parts: Parts, command: str, *value: Any, **more: Any) -> "Future[Dict[str, Any]]":
        """Sends a command; `more` overrides members of its message."""
        now = int(time.time() * 1000)
        self._sent = getattr(self, "_sent", 0) + 1
        message: Dict[str, Any] = {"v": 1, "id": f"message-{self._sent:08}", "issued_at": now, "deadline": now + 30_000}
        message.update({"command": command, "sender": {"client_id": "alice"}, "fence": parts.safety.fence.number})
        if value:
            message["value"] = value[0]
        answer: Future[Dict[str, Any]] = Future()
        payload = json.dumps({**message, **more}).encode()
        parts.dispatcher.begin(payload, lambda outcome: answer.set_result(answer_to("", outcome)))
        return answer

    def ask(self, parts: Parts, command: str, *value: Any, **more: Any) -> Dict[str, Any]:
        return self.send(parts, command, *value, **more).result(20)

    def stop(self, parts: Parts) -> Optional[str]:
        """Stops it; why it was not confirmed."""
        outcome: Future[Optional[str]] = Future()
        parts.safety.stop(lambda problem, _cancelled: outcome.set_result(problem))
        return outcome.result(20)

    def entry(self, robot: Robot, name: str) -> Dict[str, Any]:
        catalogue: List[Dict[str, Any]] = robot._presence()["catalogue"]
        return next(entry for entry in catalogue if entry["name"] == name)

    def until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not holds():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)
