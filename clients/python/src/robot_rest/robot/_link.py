"""One connection to the broker. The only module that uses paho-mqtt."""

from __future__ import annotations

import json
import logging
import math
import socket
import ssl
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from . import _log
from ._broker import BrokerAddress
from ._dispatch import as_json
from ._messages import answer_to, fence_in, session_in
from ._refusals import Refused
from ._takeovers import Takeovers

if TYPE_CHECKING:
    from ._parts import Parts

PRESENCE_SECONDS, PRESENCE_EXPIRY = 15, 45
MAX_PACKET = 1024 * 1024  # bytes
#: The reason of a DISCONNECT that is sent to a client whose id connects again.
SESSION_TAKEN_OVER = 0x8E


def paho() -> Any:
    """The module paho.mqtt.client, of version 2 or later."""
    try:
        import paho.mqtt.client as mqtt
    except ImportError:
        raise ImportError("A robot needs paho-mqtt 2: pip install 'paho-mqtt>=2'") from None
    if not hasattr(mqtt, "CallbackAPIVersion"):
        raise ImportError("A robot needs paho-mqtt 2, and an older one is installed: pip install 'paho-mqtt>=2'")
    return mqtt


class Link:
    """One connection with its own client and session, so that nothing is carried over from the previous one."""

    def __init__(self, address: BrokerAddress, parts: Parts, takeovers: Takeovers) -> None:
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        mqtt = paho()
        self._parts, self._takeovers = parts, takeovers
        self._topic, self._session = f"robots/{parts.robot_id}", takeovers.new_session()
        self._properties: Callable[[], Any] = lambda: Properties(PacketTypes.PUBLISH)
        self._kept_session: Optional[str] = None
        self._asked_kept = self._kept_told = None
        self._asked: Dict[Any, float] = {}  # packet id of a ping: when it was sent
        self._lock = threading.Lock()
        self.up, self.gone, self.taken_over, self._left = False, threading.Event(), False, False
        self._longest = MAX_PACKET
        self._user = address.user
        self._client = client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2,
            client_id=f"robot-{parts.robot_id}",
            protocol=mqtt.MQTTv5,
            reconnect_on_failure=False,
        )
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_unsubscribe = lambda _client, _userdata, mid, _reasons, _properties: self._on_unsubscribe(mid)
        client.on_publish = lambda _client, _userdata, _mid, reason, _properties: self._on_publish(reason)
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.will_set(f"{self._topic}/presence", json.dumps(self._offline()), qos=1, retain=True)
        client.username_pw_set(address.user, address.password)
        if address.tls:
            client.tls_set_context(ssl.create_default_context(cafile=address.ca))
        properties = Properties(PacketTypes.CONNECT)
        properties.MaximumPacketSize = MAX_PACKET
        client.connect(address.host, address.port, keepalive=5, clean_start=True, properties=properties)
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # otherwise answers may be delayed by 40 ms
        client.loop_start()  # only its thread writes to the socket; publish() from other threads is safe
        threading.Thread(target=self._tend, name="robot-link", daemon=True).start()

    def leave(self, reason: str) -> None:
        """Publishes that the robot is offline and disconnects cleanly, so that the broker discards the will."""
        self._left = True
        if self.up:
            self._publish_presence(self._offline(reason=reason))
        self._client.disconnect()
        self.gone.wait(1)

    def drop(self) -> None:
        """Closes a dead connection."""
        self.gone.set()
        try:
            self._client.socket().shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):  # already closed
            pass

    def _on_connect(self, client: Any, _userdata: Any, _flags: Any, reason: Any, properties: Any) -> None:
        from paho.mqtt.subscribeoptions import SubscribeOptions

        if reason.value >= 0x80:
            _log.warning("the broker refused the connection of the user %s: %s", self._user, reason)
            return
        # The broker would disconnect a client that sends a longer answer.
        self._longest = min(MAX_PACKET, getattr(properties, "MaximumPacketSize", MAX_PACKET)) - 1024
        # No retained messages, which would be outdated commands. Stop first, as everywhere.
        options = SubscribeOptions(qos=0, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        branches = ("stop", "commands") if self._parts.hand is None else ("stop", "jog", "commands")
        asked = time.monotonic()
        with self._lock:
            _, mid = client.subscribe([(f"{self._topic}/{name}", options) for name in branches])
            self._asked[mid] = asked

    def _on_subscribe(self, client: Any, _userdata: Any, mid: Any, reasons: Any, _properties: Any) -> None:
        from paho.mqtt.subscribeoptions import SubscribeOptions

        if mid == self._asked_kept:
            _, self._kept_told = client.unsubscribe(f"{self._topic}/presence")
            return
        if any(reason.value >= 0x80 for reason in reasons):
            _log.warning("the broker does not let this robot subscribe to its commands; check its access rules")
            self.drop()
            return
        self._on_sign_of_life(mid)
        # The retained presence shows who was connected before. It has arrived by the time the unsubscribe is confirmed. A
        # robot that may not read its own presence receives nothing and just connects.
        _, self._asked_kept = client.subscribe(f"{self._topic}/presence", options=SubscribeOptions(qos=0))

    def _on_unsubscribe(self, mid: Any) -> None:
        if mid != self._kept_told:
            self._on_sign_of_life(mid)
        elif self._takeovers.notice(self._kept_session):
            self.taken_over = True
            self._client.disconnect()  # without publishing: the broker discards the will and the other program goes on
        else:
            self.up = True  # only now, because a robot that cannot receive a stop must not announce itself
            _log.info("connected, session %s", self._session)

    def _on_sign_of_life(self, mid: Any) -> None:
        with self._lock:
            asked = self._asked.pop(mid, None)
        if asked is not None and not self.gone.is_set():
            self._parts.safety.heard(asked)

    def _on_disconnect(self, _client: Any, _userdata: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if self._parts.hand is not None:
            self._parts.hand.end()
        if not self.gone.is_set():
            self.taken_over = self.taken_over or getattr(reason, "value", None) == SESSION_TAKEN_OVER
        self.gone.set()

    def _tend(self) -> None:
        """Pings the broker, publishes reports, and presence regularly and whenever it has changed."""
        parts, asked, said, told = self._parts, -math.inf, -math.inf, None
        while not self.gone.wait(parts.ping_seconds / 4):
            now = time.monotonic()
            try:
                if self.up and now - asked >= parts.ping_seconds:
                    # A ping: unsubscribing from an unknown topic has no effect and needs no permission, but is confirmed.
                    asked = now
                    with self._lock:
                        _, mid = self._client.unsubscribe(f"{self._topic}/alive")
                        self._asked[mid] = now
                presence = {**parts.presence(), "session": self._session}
                if self.up and (presence != told or now - said >= PRESENCE_SECONDS):
                    said, told = now, presence
                    self._publish_presence(presence)
                if self.up and parts.safety.silence() < 1:  # otherwise it would pile up
                    self._report()
            except Exception:
                _log.exception("keeping the link alive failed")

    def _report(self) -> None:
        event = self._parts.missions.take_event()
        while event:
            self._client.publish(f"{self._topic}/events", json.dumps(event))
            event = self._parts.missions.take_event()
        for branch, text in self._parts.reports.due():
            self._client.publish(f"{self._topic}/{branch}", text)

    def _offline(self, **more: Any) -> Dict[str, Any]:
        return {"v": 1, "online": False, "session": self._session, **more}

    def _publish_presence(self, presence: Dict[str, Any]) -> None:
        if self._left and presence["online"]:
            return
        properties = self._properties()
        properties.MessageExpiryInterval = PRESENCE_EXPIRY
        self._client.publish(f"{self._topic}/presence", json.dumps(presence), 1, retain=True, properties=properties)

    def _on_publish(self, reason: Any) -> None:
        if reason.value >= 0x80:  # of presence, the only one that is acknowledged
            _log.warning(
                "the broker does not let the user %s publish below %s, so nobody sees the robot: %s. With the access rules of "
                "the documentation, its user name must be its id",
                *(self._user, self._topic, reason),
            )

    def _on_message(self, _client: Any, _userdata: Any, packet: Any) -> None:
        """Runs in the thread that reads the socket, so it must not block."""
        try:
            if packet.topic == f"{self._topic}/stop":
                self._handle_stop(packet)
            elif packet.topic == f"{self._topic}/jog" and self._parts.hand is not None:
                self._parts.hand.handle(packet.payload)
            elif packet.topic == f"{self._topic}/presence":
                self._kept_session = session_in(packet.payload)
            elif not self.gone.is_set() and self._answers_to(packet):
                self._parts.dispatcher.begin(packet.payload, lambda outcome: self._answer(packet, outcome))
        except Exception:
            _log.exception("could not handle a message")

    def _handle_stop(self, packet: Any) -> None:
        """Stops before it even parses the message: a stop is never wrong."""

        def settle(problem: Optional[str], cancelled: int) -> None:
            report = {"stopped": True, "cancelled_missions": cancelled}
            self._answer(packet, Refused("robot_error", problem, "maybe") if problem else report, is_stop=True)
            _log.log(logging.WARNING if problem else logging.INFO, "stop: %s", problem or "the robot stands")

        self._parts.safety.stop(settle)
        number = fence_in(packet.payload)
        if number is not None:
            self._parts.safety.raise_above(number)

    def _answers_to(self, packet: Any) -> Optional[str]:
        """The topic for the answer, if one is wanted. A robot only publishes below its own branch."""
        to: str = getattr(packet.properties, "ResponseTopic", "")
        return to if to.startswith(f"{self._topic}/answers/") and hasattr(packet.properties, "CorrelationData") else None

    def _answer(self, packet: Any, outcome: Any, is_stop: bool = False) -> None:
        to = self._answers_to(packet)
        if to is None or self.gone.is_set():
            return
        answer = answer_to(packet.properties.CorrelationData.decode(errors="replace"), outcome)
        if is_stop or answer.get("error", {}).get("code") == "stopped":
            answer["fence"] = self._parts.safety.fence.number
        properties = self._properties()
        properties.CorrelationData = packet.properties.CorrelationData
        self._client.publish(to, as_json(answer, self._longest), properties=properties)
