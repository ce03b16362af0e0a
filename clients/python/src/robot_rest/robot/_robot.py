"""The face of the package for makers."""

from __future__ import annotations

import json
import logging
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Union

from . import _log
from ._broker import broker_address
from ._commands import Commands
from ._declared import Declared
from ._dispatch import Dispatcher
from ._fence import Fence
from ._missions import Missions
from ._parts import Connector, Parts
from ._repeat import repeat
from ._reports import Reports
from ._safety import Safety
from ._standstill import Standstill

MAX_PRESENCE = 64 * 1024  # bytes


class Robot(Declared):
    """A robot that a service reaches through an MQTT broker.

    ``broker`` is ``mqtts://user:password@host:8883``; without a password in it, the environment has it as
    ``ROBOT_MQTT_PASSWORD`` or in the file named by ``ROBOT_MQTT_PASSWORD_FILE``. ``ca`` is the file of a certificate
    authority of your own. When the broker has been silent for ``link_loss_ms`` (at most 1000), the robot stops by itself.
    ``stop_effect`` says how it stands after a stop: ``hold``, ``limp`` or ``brake``. ``estop=True``: `publish_state` tells
    the state of an emergency stop. ``fence_file`` is for robots whose clock may start in the past.
    """

    def __init__(
        self,
        robot_id: str,
        broker: str,
        *,
        ca: Union[str, Path, None] = None,
        link_loss_ms: int = 500,
        stop_effect: Optional[str] = None,
        estop: bool = False,
        fence_file: Union[str, Path, None] = None,
    ) -> None:
        if not 200 <= link_loss_ms <= 1000:
            raise ValueError("link_loss_ms must be from 200 to 1000")
        if stop_effect not in (None, "hold", "limp", "brake"):
            raise ValueError("stop_effect must be hold, limp or brake")
        self.robot_id = robot_id
        self.ended = threading.Event()  #: set once it has stopped for good: after `close`, or when it was taken over
        self._address = broker_address(broker, robot_id, ca)
        self._link_loss_ms, self._stop_effect = link_loss_ms, stop_effect
        self._reports, self._missions = Reports(estop), Missions()
        safety = Safety(Fence(fence_file), link_loss_ms, self._reports)
        super().__init__(safety, Commands(self._missions, safety))
        self._connector: Optional[Connector] = None
        self._closing, self._prepared, self._status = threading.Lock(), False, 0

    def standstill(self, read: Callable[[], Any], window: float = 0.3, tolerance: float = 0.01) -> bool:
        """Whether the robot has stood still for ``window`` seconds. ``read`` returns its measured speed (m/s or rad/s), or
        the positions of its joints as a list or dict; never what was commanded. Returns False after a second in which it
        moved, or its sensors could not be read."""
        look, stopping = Standstill(window, tolerance), self._safety.stopping
        is_stop = threading.current_thread() is stopping.thread
        stands = look.watch(read, lambda: is_stop and bool(self._safety.moving()))
        if is_stop:
            stopping.look(look.since if stands else None, look.problem)
        return stands

    def publish_state(
        self,
        *,
        pose: Optional[Mapping[str, Any]] = None,
        velocity: Optional[Mapping[str, float]] = None,
        battery: Union[None, float, Mapping[str, Any]] = None,
        moving: Optional[bool] = None,
        estop: Union[None, bool, str] = None,
        power: Optional[str] = None,
        driver: Optional[str] = None,
    ) -> None:
        """Tells what the robot knows of itself; call it at least once a second. ``pose`` has ``x``, ``y``, ``z`` in metres
        and ``theta`` in degrees, or named frames; ``velocity`` has ``linear`` (m/s) and ``angular`` (degrees/s);
        ``battery`` is in percent. ``driver`` names a master other than the service, or is empty: nobody."""
        members = {"pose": pose, "velocity": velocity, "battery": battery, "moving": moving, "estop": estop}
        self._reports.state({**members, "power": power, "driver": driver})

    def publish_joints(self, positions: Mapping[str, float]) -> None:
        """Tells the positions of the joints by their names in the URDF, in radians or metres, at least once a second."""
        self._reports.joints(positions)

    def start(self) -> None:
        """Halts the robot and connects, in the background, and returns at once. Raises ValueError where the robot cannot be stopped."""
        from ._link import paho

        paho()
        self._connector = Connector(self._address, self._prepare(), self._taken_over)

    def _prepare(self) -> Parts:
        """Starts everything but the connection."""
        if self._prepared:
            raise RuntimeError("A robot can be started once.")
        if self._stop_function is not None:
            self._safety.stopping.function = self._stop_function
        elif self._commands.moves or self._hand is not None:
            raise ValueError("A robot that moves needs a function with @robot.on_stop.")
        if len(json.dumps(self._presence())) > MAX_PRESENCE - 1024:
            raise ValueError("The catalogue is too long: presence may have 64 KiB.")
        if self._commands.blind:
            _log.warning(
                "%s: moves the robot and has no first parameter task, so nothing can end it while it runs; it has to return "
                "at once, or to be written with a task",
                ", ".join(self._commands.blind),
            )
        self._prepared = True
        self._safety.start()
        if self._hand is not None:
            self._hand.start()
        for seconds, function in self._timed:
            threading.Thread(target=repeat, args=(seconds, function, self.ended), daemon=True).start()
        return Parts(
            robot_id=self.robot_id,
            safety=self._safety,
            dispatcher=Dispatcher(self._commands, self._safety, self._missions),
            missions=self._missions,
            reports=self._reports,
            hand=self._hand,
            ping_seconds=min(0.2, self._link_loss_ms / 5000),
            presence=self._presence,
        )

    def run(self) -> None:
        """Starts it, and returns after SIGTERM or SIGINT, once the robot stands. Exits with status 1 if it was not seen to
        stand, and with 3 if another program uses the id of this robot. Logs to stderr, unless the program has set up
        logging."""
        logging.basicConfig(level=logging.INFO)  # does nothing where there is a handler
        asked = threading.Event()
        kept = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                kept[number] = signal.signal(number, lambda _number, _frame: asked.set())
        try:
            self.start()
            while not (asked.wait(0.1) or self.ended.is_set()):
                pass
            self.close()
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)
            _log.flush()
        if self._status:
            sys.exit(self._status)

    def close(self) -> None:
        """Stops the robot, says that it is offline, and disconnects."""
        self._close("The program of the robot ends.", leave=True)

    def _taken_over(self) -> None:
        self._close("Another program uses the id of this robot.", leave=False)

    def _close(self, why: str, leave: bool) -> None:
        with self._closing:
            if self.ended.is_set() or self._connector is None:
                return
            self._safety.closed = why
            outcome: queue.SimpleQueue[Optional[str]] = queue.SimpleQueue()
            self._safety.stop(lambda problem, _cancelled: outcome.put(problem), why)
            problem = outcome.get()
            if leave:
                self._connector.leave("Its program was ended.")
            _log.info("%s %s", why, problem or "The robot stands.")
            self._status = (1 if problem else 0) if leave else 3
            self.ended.set()

    def _presence(self) -> Dict[str, Any]:
        features = ["fence", "begin_by", *(["estop"] if self._reports.has_estop else [])]
        presence: Dict[str, Any] = {"v": 1, "online": True, "catalogue": self._commands.catalogue(), "features": features}
        presence.update(fence=self._safety.fence.number, link_loss_ms=self._link_loss_ms)
        if self._stop_effect is not None:
            presence["stop_effect"] = self._stop_effect
        return {**presence, "jog": self._hand.offer} if self._hand is not None else presence
