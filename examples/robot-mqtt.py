#!/usr/bin/env python3
"""A robot behind an MQTT 5 broker: python3 robot-mqtt.py HOST PORT ROBOT_ID [USER]

USER is ROBOT_ID unless given. The password comes from the environment variable ROBOT_MQTT_PASSWORD, or from the file that
ROBOT_MQTT_PASSWORD_FILE names; arguments can be read by every user of a machine. Port 8883 speaks TLS. Runs on Linux with
Python 3.9 or newer and paho-mqtt 1.6 (Debian: python3-paho-mqtt) or 2.x.

To make it yours, replace the two parts that say "YOUR ROBOT"; the rest keeps the rules of docs/mqtt.md. Ends with status 0
after SIGTERM, 1 when the robot did not come to a stop then, 2 for wrong arguments, 3 when another program uses its id.
"""
import collections
import json
import logging
import logging.handlers
import math
import os
import queue
import re
import secrets
import signal
import socket
import sys
import threading
import time
import uuid

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

STANDSTILL = 0.01  # m/s; what is slower counts as standing
STANDSTILL_SECONDS = 0.3  # so long must it stand before a stop is confirmed
STOP_SECONDS = 2.0  # a stop that is not confirmed by then is answered with an error
LINK_LOSS_MS = 1000  # promised in presence: after so long a silence of the broker the robot has stopped by itself
SILENCE_SECONDS = 0.9  # it acts a little earlier than promised
ASK_SECONDS = 0.2  # between two questions to the broker whether it is there
SKEW_SECONDS = 2.0  # the clock of the service may be ahead of ours by so much
PRESENCE_SECONDS, PRESENCE_EXPIRY = 15, 45
MAX_COMMANDS, MAX_IDS, MAX_MISSIONS = 1000, 100_000, 100
MAX_PACKET = 1024 * 1024  # bytes
MAX_FENCE = 2**53 - 2**32  # the largest that is taken from others: a stop must always find a higher one
LOG = logging.getLogger("robot")


class Refused(Exception):
    """An answer with ok: false. `ran` is "no" only where the command certainly had no effect."""

    def __init__(self, code, detail, ran="no", errors=None):
        super().__init__(detail)
        self.error = {"code": code, "detail": detail, "ran": ran, **({"errors": errors} if errors else {})}


class Declined:
    """A result that the robot gives together with a no: nothing failed, it just will not."""

    def __init__(self, result, sentence):
        self.result, self.sentence = result, sentence


class Motion:
    """Leave to move. It ends when the command is done, is cancelled or replaced, by a stop, or when the link is lost."""

    def __init__(self, order, finishes):
        self.order = order  # later commands have higher ones
        self.finishes = finishes  # goes on when the link is lost
        self.carried = self.is_mission = False  # goes on after its command was answered
        self.ended, self.why = threading.Event(), ""

    def end(self, why):
        if not self.ended.is_set():
            self.why = why
            self.ended.set()

    def check(self):
        """Call this immediately before every call that moves the robot."""
        if self.ended.is_set():
            raise Refused("stopped", self.why, "no")


# --- YOUR ROBOT, part 1: the body -----------------------------------------------------------------------------------------


class SimulatedBase:
    """A base on wheels. Yours needs halt(), speed() and one way into its motors that checks the motion.

    For tests: ROBOT_COAST_MS is how long it takes to come to rest, ROBOT_PUSHED_MPS the speed at which something else
    drives it, ROBOT_PRINT_SPEED=1 prints its speed 50 times a second.
    """

    SPEED, TURN = 0.5, 45.0  # m/s, degrees/s
    STEP = 0.01  # seconds

    def __init__(self):
        self._coast = max(float(os.environ.get("ROBOT_COAST_MS", "100")) / 1000, self.STEP)
        self._pushed = float(os.environ.get("ROBOT_PUSHED_MPS", "0"))
        self._pose, self._velocity, self._wanted = [0.0] * 3, [0.0] * 3, [0.0] * 3  # x, y, theta: metres, degrees
        self._driver = None
        self._lock = threading.Lock()  # held for moments only: halt() takes it

    def start(self):
        threading.Thread(target=self._simulate, daemon=True).start()

    def halt(self, spare=()):
        """Ends all motion, whoever began it, except the motions in `spare`. Called 50 times a second until the robot stands,
        so it must return at once: send the command, do not wait for its effect."""
        with self._lock:
            if self._driver is None or self._driver not in spare:
                self._driver, self._wanted = None, [0.0] * 3

    def speed(self):
        """How fast the robot moves, in m/s, by its own sensors: never what it was told. Must return at once; raises when the
        sensors cannot tell."""
        with self._lock:
            vx, vy, turn = self._velocity
        return math.hypot(vx, vy) + abs(turn) / 90 + self._pushed

    def drive(self, motion, x, y, theta):
        """Drives by metres and degrees, as seen from where the base stands. Returns when it is there, or raises Refused when
        the motion has ended before. The newest command has the base."""
        seconds = self.duration(x, y, theta)
        with self._lock:
            motion.check()  # under the lock of halt(): what a stop has ended never gets past it
            if self._driver not in (None, motion):
                if self._driver.order > motion.order:
                    raise Refused("busy", "A newer command drives the base.")
                self._driver.end("A newer command has taken the base.")
            turned = math.radians(self._pose[2])
            forward = x * math.cos(turned) - y * math.sin(turned), x * math.sin(turned) + y * math.cos(turned)
            self._driver, self._wanted = motion, [way / seconds for way in (*forward, theta)]
        try:
            motion.ended.wait(seconds)
            motion.check()
        finally:
            with self._lock:
                if self._driver is motion:
                    self._driver, self._wanted = None, [0.0] * 3

    def duration(self, x, y, theta):
        return max(math.hypot(x, y) / self.SPEED, abs(theta) / self.TURN, self.STEP)

    def pose(self):
        with self._lock:
            return dict(zip(("x", "y", "theta"), (round(value, 3) for value in self._pose)))

    def _simulate(self):
        printing = os.environ.get("ROBOT_PRINT_SPEED") == "1"
        then, printed = time.monotonic(), 0.0
        while True:
            time.sleep(self.STEP)
            now = time.monotonic()
            seconds, then = now - then, now
            with self._lock:
                for axis, top in enumerate((self.SPEED, self.SPEED, self.TURN)):
                    wanted, slowest = self._wanted[axis], top / self._coast * seconds
                    missing = wanted - self._velocity[axis]
                    braking = abs(wanted) < abs(self._velocity[axis])
                    self._velocity[axis] += max(-slowest, min(slowest, missing)) if braking else missing
                    self._pose[axis] += self._velocity[axis] * seconds
            if printing and now - printed >= 0.02:
                printed = now
                LOG.info("speed %.3f", self.speed())


# --- YOUR ROBOT, part 2: the commands -------------------------------------------------------------------------------------

BASE = SimulatedBase()
COMMANDS = {}  # name: its catalogue entry, and the function


def command(name, kind, title, effect="action", **more):
    """Makes a function a command. It gets a call with the members value, sender, deadline (seconds since the epoch) and, for
    entries with motion=True, motion. Each call has a thread of its own, so a function may take its time."""

    def register(function):
        COMMANDS[name] = ({"name": name, "kind": kind, "title": title, "effect": effect, **more}, function)
        return function

    return register


@command("get_language", "none", "Language", "query")
def get_language(call):
    return "en"


@command("get_pose", "none", "Pose in metres and degrees", "query")
def get_pose(call):
    return {**BASE.pose(), "moving": BASE.speed() >= STANDSTILL}


@command("sound_level", "int", "Set the sound level", motion=False, bounds={"minimum": 0, "maximum": 100}, unit="%")
def sound_level(call):
    return {"sound_level": call.value}


@command("say", "str", "Say a text, at 15 characters a second", motion=False)
def say(call):
    time.sleep(len(call.value) / 15)  # stands for a call that returns when it is done
    return {"said": call.value}


@command("go_to_relative", "coordinates", "Go by so much, seen from where the robot stands", motion=True)
def go_to_relative(call):
    way = {"x": 0, "y": 0, "z": 0, "theta": 0, **call.value}
    if way.pop("z") != 0:
        fault = {"pointer": "/value/z", "message": "must be 0"}
        raise Refused("validation_failed", "The base stays on the floor.", errors=[fault])
    if math.hypot(way["x"], way["y"]) > 10:
        return Declined({"accepted": False}, "The robot goes 10 m at most.")
    seconds = BASE.duration(**way)
    carry(call.motion, BASE.drive, **way)  # the answer does not wait for the arrival
    return {"accepted": True, "arrives_in_seconds": round(seconds, 3)}


@command("dock", "none", "Go back to where it started, even when the link is lost", motion=True, on_lapse="finish")
def dock(call):
    def go_home(motion):
        pose = BASE.pose()
        turned = math.radians(pose["theta"])
        x = -pose["x"] * math.cos(turned) - pose["y"] * math.sin(turned)
        y = pose["x"] * math.sin(turned) - pose["y"] * math.cos(turned)
        BASE.drive(motion, x, y, 0)

    return {"called": True, "msg": Mission.start(call.motion, go_home)}


@command("get_skills", "none", "Skills of the robot", "query")
def get_skills(call):
    return [
        {"name": "patrol", "title": "Drive forth and back", "takes": {"metres": "0 to 5, 1 when absent"}},
        {"name": "wait", "title": "Do nothing for a while", "takes": {"seconds": "0 to 600, 1 when absent"}},
    ]


@command("skill", "dict", "Call a skill by its name, with its arguments", motion=True)
def skill(call):
    def patrol(motion):
        for way in (metres, -metres):
            BASE.drive(motion, way, 0, 0)

    def wait(motion):
        motion.ended.wait(seconds)
        motion.check()

    work = {"patrol": patrol, "wait": wait}.get(call.value.get("name"))
    metres, seconds = call.value.get("metres", 1), call.value.get("seconds", 1)
    if work is None:
        return Declined({"called": False, "msg": "Unknown skill"}, "The robot has no such skill; get_skills lists them.")
    for name, value, most in (("metres", metres, 5), ("seconds", seconds, 600)):
        if not is_number(value) or not 0 <= value <= most:
            fault = {"pointer": f"/value/{name}", "message": f"a number from 0 to {most}"}
            raise Refused("validation_failed", f"The skill takes {name} from 0 to {most}.", "no", [fault])
    return {"called": True, "msg": Mission.start(call.motion, work)}


@command("wait_for_skill", "str", "Wait until a mission is over", "query", waits=True)
def wait_for_skill(call):
    mission = Mission.known.get(call.value)
    if mission is None:
        start = {"started": False, "msg": "Mission not found"}
        return {"awaited": False, "start_result": start, "msg": "Mission not found"}
    if not mission.over.wait(max(0, call.deadline - time.time())):
        raise Refused("robot_timeout", "The mission is still under way and goes on.", "maybe")
    return {"awaited": mission.finished, "start_result": {"started": True, "msg": "Mission started"}, "msg": mission.how}


@command("cancel_skill", "str", "Cancel a mission", motion=False)
def cancel_skill(call):
    mission = Mission.known.get(call.value)
    if mission is None or mission.over.is_set():
        return {"cancelled": False, "msg": "Mission not found"}
    mission.motion.end("Mission cancelled")
    return {"cancelled": True, "msg": "Mission cancelled"}


class Mission:
    """Work that goes on after its command was answered with the mission's id. The last ones that are over are remembered."""

    known = collections.OrderedDict()

    def __init__(self, motion):
        self.motion, self.over = motion, threading.Event()
        self.finished, self.how = False, "Mission cancelled"

    @classmethod
    def start(cls, motion, work):
        mission, key = cls(motion), str(uuid.uuid4())
        motion.is_mission = True
        carry(motion, mission._run, work)
        cls.known[key] = mission
        for old in [known for known, each in list(cls.known.items()) if each.over.is_set()][:-MAX_MISSIONS]:
            cls.known.pop(old, None)
        return key

    def _run(self, motion, work):
        try:
            work(motion)
            self.finished, self.how = True, "Mission finished"
        except Refused as refusal:
            self.how = str(refusal)
        except Exception as failure:
            self.how = f"Mission failed: {failure}"
            LOG.exception("a mission failed")
        finally:
            self.over.set()


# --- Safety: the fence, stop, and the end of the link ---------------------------------------------------------------------


class Stop:
    """A stop that waits until the robot stands. settle(problem, cancelled_missions) is called once; no problem: it stands."""

    def __init__(self, settle, spare=frozenset(), cancelled=0):
        self.settle, self.spare, self.cancelled = settle, spare, cancelled
        self.began, self.stands_since = time.monotonic(), None


class Safety:
    """Decides what may move. Nothing here waits for a command, for the network or for the log."""

    def __init__(self, body):
        self._body = body
        # The fence must not fall when the program starts anew. The time in ms is above whatever stops made of an earlier
        # one; a robot whose clock may start in the past keeps the number in a file as well.
        self.number = int(time.time() * 1000)
        self.closed = None
        self._lock = threading.Lock()
        self._motions, self._order, self._stopping = set(), 0, 0
        self._heard, self._lost = -math.inf, True
        self._stops = queue.SimpleQueue()

    def start(self):
        # It runs from the beginning and alone halts the robot: neither a full pool nor a failing thread start holds it up.
        threading.Thread(target=self._guard, name="guard", daemon=True).start()

    def admit(self, sent, finishes):
        """Leave for a motion whose sender knew this number; None from a service that knows of no number."""
        with self._lock:
            if sent is not None and sent < self.number:
                raise Refused("stopped", "The robot was stopped after this command was sent. Send it again to move.")
            self.number = max(self.number, sent or 0)
            if self.silence() > SILENCE_SECONDS:
                raise Refused("not_ready", "The robot has lost the link to its broker and has stopped. Send it again.")
            if self._stopping:
                raise Refused("not_ready", "The robot is still coming to a stop. Send it again when the stop is confirmed.")
            self._order += 1
            motion = Motion(self._order, finishes)
            self._motions.add(motion)
            return motion

    def release(self, motion):
        with self._lock:
            self._motions.discard(motion)

    def stop(self, settle, why="The robot was stopped."):
        """Acts before it returns: what was admitted has ended, and what was sent earlier will be refused."""
        with self._lock:
            self._raise(self.number + 1)
            cancelled = sum(motion.is_mission for motion in self._motions)
            self._end(self._motions, why)
        self._stops.put(Stop(settle, cancelled=cancelled))

    def raise_above(self, sent):
        """To one above a number that came with a stop."""
        with self._lock:
            self._raise(sent + 1)

    def heard(self, when):
        """The broker has answered a question of that time: an answer that comes late is no sign of life of today."""
        self._heard = max(self._heard, when)

    def silence(self):
        return time.monotonic() - self._heard

    def _raise(self, number):
        self.number = max(self.number, number)

    def _end(self, motions, why):
        self._stopping += 1  # until the guard has settled it
        for motion in motions:
            motion.end(why)

    def _guard(self):
        stops, looked = [], time.monotonic()
        while True:
            try:
                stops.append(self._stops.get(timeout=0.02))
            except queue.Empty:
                pass
            now = time.monotonic()
            stops += self._watch_link()
            if stops:
                speed, problem = self._halt(frozenset.intersection(*(stop.spare for stop in stops)))
                stands = abs(speed) < STANDSTILL and now - looked < 0.1  # what nobody looked at may have moved
                stops = [stop for stop in stops if not self._settle(stop, now, stands, problem)]
            looked = now

    def _watch_link(self):
        lost = self.silence() > SILENCE_SECONDS
        if lost == self._lost:
            return []
        self._lost = lost
        if not lost:
            return []
        with self._lock:
            self._raise(self.number + 1)
            spare = frozenset(motion for motion in self._motions if motion.finishes)
            self._end(self._motions - spare, "The robot lost the link to its broker.")
        LOG.warning("link lost: the broker is silent; motion ends")
        return [Stop(lambda problem, _cancelled: problem and LOG.error(problem), spare)]

    def _halt(self, spare):
        try:
            self._body.halt(spare)
            speed = self._body.speed()
            return speed, f"The robot is still moving at {speed:.2f} m/s; something else may be driving it."
        except Exception as failure:
            return math.inf, f"The robot may be still moving: it could not be halted, or not tell its speed. {failure}"

    def _settle(self, stop, now, stands, problem):
        """Whether the stop is done with."""
        stop.stands_since = (stop.stands_since or now) if stands else None
        still = stop.stands_since is not None and now - stop.stands_since >= STANDSTILL_SECONDS
        if not still and now - stop.began < (STANDSTILL_SECONDS if stop.spare else STOP_SECONDS):
            return False
        with self._lock:
            self._stopping -= 1
        try:
            stop.settle(None if still or stop.spare else problem, stop.cancelled)
        except Exception:
            LOG.exception("a stop could not be answered")
        return True


SAFETY = Safety(BASE)


# --- Commands: each judged anew, run at most once, in a thread of its own -------------------------------------------------


def is_number(value):
    return type(value) in (int, float) and abs(value) <= 1e15  # neither NaN nor infinite


KINDS = {
    "none": lambda value: False,
    "str": lambda value: type(value) is str,
    "int": lambda value: type(value) is int,
    "float": is_number,
    "bool": lambda value: type(value) is bool,
    "dict": lambda value: type(value) is dict,
    "list": lambda value: type(value) is list,
    "coordinates": lambda value: type(value) is dict
    and set(value) <= {"x", "y", "z", "theta"}  # the service sends all four; theta is in degrees
    and all(is_number(each) for each in value.values()),
}


def judge_value(spec, message):
    """Kind, bounds and items of the catalogue entry. What `args` says in detail is for the command's own function."""
    kind, has_value, value = spec["kind"], "value" in message, message.get("value")
    if has_value == (kind == "none") or has_value and not KINDS[kind](value):
        raise Refused("wrong_value_type", f"The command {spec['name']} takes a value of kind {kind}.")
    bounds = spec.get("bounds", {})
    if kind in ("int", "float") and not bounds.get("minimum", -math.inf) <= value <= bounds.get("maximum", math.inf):
        raise Refused("validation_failed", "The value is out of bounds.", "no", [{"pointer": "/value", "message": str(bounds)}])
    if spec.get("items") == "str" and not all(type(item) is str for item in value):
        raise Refused("validation_failed", "The list may hold strings only.")


def judge_time(message):
    """Refuses what is late. Both times were made by another clock, which must agree with ours."""
    now, issued = time.time(), message["issued_at"] / 1000
    if issued - now > SKEW_SECONDS:
        detail = f"The clock of the robot is {issued - now:.1f} s behind that of the service; set both clocks by NTP."
        raise Refused("robot_unavailable", detail)
    # Of a command that waits the deadline says how long it may wait, begin_by until when it must have begun.
    if now >= min(message["deadline"], message.get("begin_by", math.inf)) / 1000:
        detail = (
            f"The command reached the robot {now - issued:.1f} s after it was sent, which is too late. "
            "If that is not so, the two clocks disagree; set both clocks by NTP."
        )
        raise Refused("robot_timeout", detail)


def read_command(payload):
    """The message as a dict whose members can be relied on. @raises Refused"""
    try:
        message = json.loads(payload)
        integers = [message[name] for name in ("issued_at", "deadline", "begin_by", "fence") if name in message]
        fits = (
            message["v"] == 1
            and re.fullmatch("[A-Za-z0-9_-]{16,64}", message["id"])
            and type(message["command"]) is str
            and {"issued_at", "deadline", "sender"} <= set(message)
            and all(type(each) is int and 0 <= each <= MAX_FENCE for each in integers)
        )
    except Exception:  # JSON can fail in many ways, by its depth for instance
        fits = False
    if not fits:
        raise Refused("validation_failed", "The message is not a command.")
    return message


class Call:
    def __init__(self, message):
        self.value, self.sender = message.get("value"), message["sender"]
        self.deadline = message["deadline"] / 1000
        self.motion = None


class Dispatcher:
    def __init__(self, safety):
        self._safety = safety
        self._seen = {}  # id: until when its message could come again and still be taken
        self._running = threading.Semaphore(MAX_COMMANDS)

    def begin(self, payload, answer):
        """Called in the order of arrival. Judges the message and hands it to a thread of its own."""
        try:
            message = read_command(payload)
            spec, function = COMMANDS.get(message["command"], (None, None))
            judge_time(message)
            if spec is None:
                raise Refused("unknown_command", f"The robot does not know {message['command']!r}.")
            judge_value(spec, message)
            if not self._is_new(message):
                return
            if self._safety.closed:
                raise Refused("robot_unavailable", self._safety.closed)
            call = Call(message)
            if spec.get("motion"):
                call.motion = self._safety.admit(message.get("fence"), spec.get("on_lapse") == "finish")
        except Refused as refusal:
            answer(refusal)
            return
        if not self._running.acquire(blocking=False):
            self._give_up(call, answer)
            return
        try:
            threading.Thread(target=self._run, args=(message, spec, function, call, answer), daemon=True).start()
        except RuntimeError:  # the machine has no more threads
            self._running.release()
            self._give_up(call, answer)

    def _give_up(self, call, answer):
        if call.motion:
            self._safety.release(call.motion)
        answer(Refused("busy", "The robot has too many commands under way."))

    def _is_new(self, message):
        now = time.time()
        if message["id"] in self._seen:
            return False
        if len(self._seen) >= MAX_IDS:
            self._seen = {known: until for known, until in self._seen.items() if until >= now}
        if len(self._seen) >= MAX_IDS:  # to forget one of them could run its command twice
            raise Refused("robot_unavailable", "The robot has more commands than it can keep apart.")
        self._seen[message["id"]] = message["deadline"] / 1000 + SKEW_SECONDS
        return True

    def _run(self, message, spec, function, call, answer):
        try:
            judge_time(message)  # the thread may have come late to the processor
            if call.motion:
                call.motion.check()
            result = function(call)
        except Refused as refusal:
            result = refusal
        except Exception as failure:
            LOG.exception("%s failed", spec["name"])
            result = Refused("robot_error", f"{type(failure).__name__}: {failure}", "maybe")
        finally:
            self._running.release()
            if call.motion and not call.motion.carried:
                self._safety.release(call.motion)
        answer(result)


def carry(motion, work, *args, **named):
    """Goes on with a motion after its command was answered."""

    def run():
        try:
            work(motion, *args, **named)
        except Refused as refusal:
            LOG.info("a motion ended early: %s", refusal)
        except Exception:
            LOG.exception("a motion failed")
        finally:
            SAFETY.release(motion)

    threading.Thread(target=run, daemon=True).start()
    motion.carried = True


# --- The link: one connection to the broker after the other ---------------------------------------------------------------


class Client(mqtt.Client):
    """paho-mqtt 1.6 keeps the reason of a DISCONNECT to itself unless properties follow it."""

    reason = None

    def _handle_disconnect(self):
        if self._in_packet["packet"]:
            self.reason = self._in_packet["packet"][0]
        return super()._handle_disconnect()


class Link:
    """One connection, with a client and a session of its own, so that nothing is carried over from the one before."""

    def __init__(self, settings, safety, dispatcher):
        self._safety, self._dispatcher = safety, dispatcher
        self._topic, self._session = f"robots/{settings['robot']}", secrets.token_urlsafe(12)
        self._asked, self._lock = {}, threading.Lock()  # number of a question to the broker: when it was asked
        self.up, self.gone, self.taken_over, self._left = False, threading.Event(), False, False
        self._longest = MAX_PACKET
        options = {"client_id": f"robot-{settings['robot']}", "protocol": mqtt.MQTTv5, "reconnect_on_failure": False}
        if hasattr(mqtt, "CallbackAPIVersion"):  # paho-mqtt 2
            options["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION2
        self._client = client = Client(**options)
        # The arguments of these differ between the versions; those that are used stand in the same place.
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_unsubscribe = lambda _client, _userdata, mid, *_rest: self._on_sign_of_life(mid)
        client.on_disconnect = lambda _client, _userdata, *rest: self._on_disconnect(rest)
        client.on_message = self._on_message
        client.will_set(f"{self._topic}/presence", json.dumps({"v": 1, "online": False}), qos=1, retain=True)
        client.username_pw_set(settings["user"], settings["password"])
        if settings["port"] == 8883:
            client.tls_set()  # the authorities of the system; SSL_CERT_FILE names others
        properties = Properties(PacketTypes.CONNECT)
        properties.MaximumPacketSize = MAX_PACKET
        client.connect(settings["host"], settings["port"], keepalive=5, clean_start=True, properties=properties)
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or answers wait up to 40 ms for each other
        client.loop_start()  # only its thread writes to the socket; publish() from other threads is safe
        threading.Thread(target=self._tend, daemon=True).start()

    def leave(self):
        """Says that the robot is gone, and then goodbye, so that the broker drops the will."""
        self._left = True
        if self.up:
            self._publish_presence({"v": 1, "online": False, "reason": "Its program was ended."})
        self._client.disconnect()
        self.gone.wait(1)

    def drop(self):
        """Gives up a connection over which nothing comes any more."""
        self.gone.set()
        try:
            self._client.socket().shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):  # there is none any more
            pass

    def _on_connect(self, client, _userdata, _flags, reason, properties):
        if reason.value >= 0x80:
            LOG.warning("the broker refuses this robot: %s", reason)
            return
        # A longer answer would cost the connection.
        self._longest = min(MAX_PACKET, getattr(properties, "MaximumPacketSize", MAX_PACKET)) - 1024
        # No retained messages: somebody left them there to be heard late. Stop first, as everywhere.
        options = SubscribeOptions(qos=0, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        asked = time.monotonic()
        with self._lock:
            _, mid = client.subscribe([(f"{self._topic}/stop", options), (f"{self._topic}/commands", options)])
            self._asked[mid] = asked

    def _on_subscribe(self, _client, _userdata, mid, reasons, _properties):
        if any(reason.value >= 0x80 for reason in reasons):
            LOG.error("the broker lets this robot not hear its commands; look at its access rules")
            self.drop()
            return
        self._on_sign_of_life(mid)
        self.up = True  # and not before: a robot that cannot hear a stop does not say that it is there
        LOG.info("connected, session %s", self._session)

    def _on_sign_of_life(self, mid):
        with self._lock:
            asked = self._asked.pop(mid, None)
        if asked is not None and not self.gone.is_set():
            self._safety.heard(asked)

    def _on_disconnect(self, rest):
        if not self.gone.is_set():
            reasons = [self._client.reason, *(getattr(each, "value", None) for each in rest)]
            self.taken_over = 0x8E in reasons
        self.gone.set()

    def _tend(self):
        """Asks the broker for signs of life, and says presence in time and whenever the number has changed."""
        asked = said = -math.inf
        number = None
        while not self.gone.wait(0.05):
            now = time.monotonic()
            try:
                if self.up and (number != self._safety.number or now - said >= PRESENCE_SECONDS):
                    said, number = now, self._safety.number
                    self._publish_presence(self._presence(number))
                if self.up and now - asked >= ASK_SECONDS:
                    # To leave a topic that was never joined has no effect and needs no right, and the broker confirms it.
                    asked = now
                    with self._lock:
                        _, mid = self._client.unsubscribe(f"{self._topic}/alive")
                        self._asked[mid] = now
            except Exception:
                LOG.exception("the link could not be tended")

    def _presence(self, number):
        return {
            "v": 1,
            "online": True,
            "session": self._session,
            "catalogue": [spec for spec, _ in COMMANDS.values()],
            "features": ["fence", "begin_by"],
            "fence": number,
            "link_loss_ms": LINK_LOSS_MS,
            "stop_effect": "hold",  # what your robot does once stopped: it holds its place, goes limp, or brakes
        }

    def _publish_presence(self, presence):
        if self._left and presence["online"]:
            return
        properties = Properties(PacketTypes.PUBLISH)
        properties.MessageExpiryInterval = PRESENCE_EXPIRY
        self._client.publish(f"{self._topic}/presence", json.dumps(presence), retain=True, properties=properties)

    def _on_message(self, _client, _userdata, packet):
        """Runs in the thread that reads the socket: whatever takes time belongs elsewhere."""
        try:
            if packet.topic == f"{self._topic}/stop":
                self._hear_stop(packet)
            elif not self.gone.is_set() and self._answers_to(packet):
                self._dispatcher.begin(packet.payload, lambda outcome: self._answer(packet, outcome))
        except Exception:
            LOG.exception("a message could not be handled")

    def _hear_stop(self, packet):
        """Whatever stands in it: to stop is never wrong. First it acts, then it reads."""

        def settle(problem, cancelled):
            report = {"stopped": True, "cancelled_missions": cancelled}
            self._answer(packet, Refused("robot_error", problem, "maybe") if problem else report, is_stop=True)
            LOG.info("stop: %s", problem or "the robot stands")

        self._safety.stop(settle)
        try:
            sent = json.loads(packet.payload)["fence"]
            if type(sent) is int and 0 <= sent <= MAX_FENCE:
                self._safety.raise_above(sent)
        except Exception:  # no number, or no JSON
            pass

    def _answers_to(self, packet):
        """Where the answer goes, if it has to go anywhere: a robot publishes below its own branch only."""
        to = getattr(packet.properties, "ResponseTopic", "")
        return to if to.startswith(f"{self._topic}/answers/") and hasattr(packet.properties, "CorrelationData") else None

    def _answer(self, packet, outcome, is_stop=False):
        to = self._answers_to(packet)
        if to is None or self.gone.is_set():
            return
        answer = {"v": 1, "id": packet.properties.CorrelationData.decode(errors="replace")}
        if isinstance(outcome, Refused):
            answer.update(ok=False, error=outcome.error)
        elif isinstance(outcome, Declined):
            answer.update(ok=True, result=outcome.result, declined=outcome.sentence)
        else:
            answer.update(ok=True, result=outcome)
        if is_stop or answer.get("error", {}).get("code") == "stopped":
            answer["fence"] = self._safety.number
        try:
            text = json.dumps(answer, allow_nan=False)
            if len(text) > self._longest:
                raise ValueError("it is too long")
        except (TypeError, ValueError) as failure:
            error = {"code": "robot_error", "detail": f"The result cannot be sent: {failure}.", "ran": "maybe"}
            text = json.dumps({"v": 1, "id": answer["id"], "ok": False, "error": error})
        properties = Properties(PacketTypes.PUBLISH)
        properties.CorrelationData = packet.properties.CorrelationData
        self._client.publish(to, text, properties=properties)


class Connector:
    """Makes a new connection whenever one is lost, unless another program has taken the robot's id."""

    def __init__(self, settings, safety):
        self._settings, self._safety = settings, safety
        self._dispatcher = Dispatcher(safety)
        self._ending, self.taken_over = threading.Event(), threading.Event()
        self._link = None
        threading.Thread(target=self._stay_connected, daemon=True).start()

    def leave(self):
        self._ending.set()
        if self._link:
            self._link.leave()

    def _stay_connected(self):
        thrown_out, wait = [], 0.2
        while not self._ending.is_set():
            link = None
            try:
                self._link = link = Link(self._settings, self._safety, self._dispatcher)
                began = time.monotonic()
                while not link.gone.wait(0.5):
                    if min(time.monotonic() - began, self._safety.silence()) > 10:
                        link.drop()
            except Exception as failure:
                LOG.warning("no connection to the broker: %s", failure)
            if self._ending.is_set():
                return
            if link and link.up:
                LOG.warning("the connection to the broker broke")
                wait = 0.2
                thrown_out = [*thrown_out, time.monotonic()][-3:]
            # Not every broker says why. Programs that throw each other out do so again and again; the first loses first.
            often = len(thrown_out) == 3 and thrown_out[2] - thrown_out[0] < 10
            if link and (link.taken_over or often):
                self.taken_over.set()
                return
            self._ending.wait(wait * (0.5 + secrets.randbelow(1000) / 1000))
            wait = min(wait * 2, 5)


def read_settings():
    if len(sys.argv) not in (4, 5):
        print(__doc__.split("\n", 1)[0], file=sys.stderr)
        print("The password belongs into ROBOT_MQTT_PASSWORD or ROBOT_MQTT_PASSWORD_FILE.", file=sys.stderr)
        sys.exit(2)
    password = os.environ.pop("ROBOT_MQTT_PASSWORD", None)
    if password is None and "ROBOT_MQTT_PASSWORD_FILE" in os.environ:
        with open(os.environ["ROBOT_MQTT_PASSWORD_FILE"], encoding="utf-8") as file:
            password = file.read().rstrip("\n")
    host, port, robot = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    return {"host": host, "port": port, "robot": robot, "user": (*sys.argv, robot)[4], "password": password}


def main():
    settings = read_settings()
    # Lines are written by a thread of their own: a full pipe must not hold up a stop.
    lines = queue.SimpleQueue()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", handlers=[logging.handlers.QueueHandler(lines)])
    writer = logging.handlers.QueueListener(lines, logging.StreamHandler(sys.stdout))

    ending = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ending)  # before the first thread: they are waited for below
    writer.start()
    BASE.start()
    SAFETY.start()
    connector = Connector(settings, SAFETY)
    while not connector.taken_over.is_set():
        info = signal.sigtimedwait(ending, 0.1)
        if info is not None and info.si_signo in ending:  # a program that was paused may get something else
            break
    taken_over = connector.taken_over.is_set()
    why = "Another program uses the id of this robot." if taken_over else "The program of the robot ends."
    SAFETY.closed = why
    outcome = queue.SimpleQueue()
    SAFETY.stop(lambda problem, _cancelled: outcome.put(problem), why)
    if not taken_over:
        connector.leave()
    problem = outcome.get()
    LOG.info("%s %s", why, problem or "The robot stands.")
    writer.stop()
    return 3 if taken_over else 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
