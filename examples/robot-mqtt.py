#!/usr/bin/env python3
"""A robot behind an MQTT 5 broker: python3 robot-mqtt.py HOST PORT ROBOT_ID [USER]

USER defaults to ROBOT_ID. The password is read from the environment variable ROBOT_MQTT_PASSWORD or from the file named by
ROBOT_MQTT_PASSWORD_FILE, because arguments are visible to every user of the machine. Port 8883 uses TLS. Runs on Linux with
Python 3.9 or newer and paho-mqtt 1.6 (Debian: python3-paho-mqtt) or 2.x.

To adapt it, replace the two parts marked "YOUR ROBOT"; the rest implements the rules of docs/mqtt.md. Exit status: 0 after
SIGTERM, 1 if the robot did not come to a stop then, 2 for invalid arguments, 3 if another program uses the robot's id.
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

STANDSTILL = 0.01  # m/s; anything slower counts as standing still
STANDSTILL_SECONDS = 0.3  # how long the robot must stand still before a stop is confirmed
REPLACE_SECONDS = 2  # how long a drive waits for the end of the one it replaces
STOP_SECONDS = 4.0  # a stop not confirmed by then is answered with an error
LINK_LOSS_MS = 1000  # announced in presence: the robot stops by itself when the broker has been silent this long
SILENCE_SECONDS = 0.9  # acts a little earlier than announced
ASK_SECONDS = 0.2  # how often the broker is pinged
SKEW_SECONDS = 2.0  # how far the service's clock may be ahead of ours
PRESENCE_SECONDS, PRESENCE_EXPIRY = 15, 45
REPORT_SECONDS, REPEAT_SECONDS = 0.1, 1.0  # how often state and joints are compared, and repeated if nothing changes
WATCHDOG_MS = 300  # announced in presence: without a new frame for so long, a robot driven by hand stands still
MAX_LINEAR, MAX_ANGULAR = 0.5, 1.0  # m/s and rad/s by hand; announced as well
HANDS_OFF_SECONDS = 0.05  # how long the stick must be let go before it moves the robot again
MAX_COMMANDS, MAX_IDS, MAX_MISSIONS = 1000, 100_000, 100
MAX_PACKET = 1024 * 1024  # bytes
TAKEOVERS, TAKEOVER_SECONDS = 3, 120  # this many takeovers in this time reveal a second program with the same id
MAX_FENCE = 2**53 - 2**32  # largest number accepted from others, so that a stop can always use a higher one
LOG = logging.getLogger("robot")


class Refused(Exception):
    """An answer with ok: false. `ran` is "no" only if the command certainly had no effect."""

    def __init__(self, code, detail, ran="no", errors=None):
        super().__init__(detail)
        self.error = {"code": code, "detail": detail, "ran": ran, **({"errors": errors} if errors else {})}


class Declined:
    """A result with a refusal: nothing failed, but the robot declines to do it."""

    def __init__(self, result, sentence):
        self.result, self.sentence = result, sentence


class Replaced:
    """A result of a drive for which the drive under way was cancelled."""

    def __init__(self, result):
        self.result = result


class Motion:
    """Permission to move. Ends when the command is done, cancelled or replaced, on a stop, or when the link is lost."""

    def __init__(self, order, finishes):
        self.order = order  # later commands have higher ones
        self.finishes = finishes  # continues when the link is lost
        self.carried, self.mission = False, None  # continues after its command was answered; id of the mission
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
    drives it, ROBOT_PRINT_SPEED=1 prints its speed 50 times a second, and its emergency stop is engaged while the file
    ROBOT_ESTOP_FILE exists.
    """

    SPEED, TURN = 0.5, 60.0  # m/s, degrees/s
    WHEEL, TRACK = 0.1, 0.4  # radius of the wheels and the distance between them, in metres
    STEP = 0.01  # seconds

    def __init__(self):
        self._coast = max(float(os.environ.get("ROBOT_COAST_MS", "100")) / 1000, self.STEP)
        self._pushed = float(os.environ.get("ROBOT_PUSHED_MPS", "0"))
        self._pose, self._velocity, self._wanted = [0.0] * 3, [0.0] * 3, [0.0] * 3  # x, y, theta: metres, degrees
        self._wheels = [0.0] * 2  # left, right: radians
        self._estop_file = os.environ.get("ROBOT_ESTOP_FILE", "")
        self._driver = None
        self._lock = threading.Lock()  # held for moments only: halt() takes it
        self._freed = threading.Condition(self._lock)

    def start(self):
        threading.Thread(target=self._simulate, daemon=True).start()

    def halt(self, spare=()):
        """Ends all motion, whoever started it, except the motions in `spare`. Called 50 times a second until the robot stands
        still, so it must return immediately: send the command, do not wait for its effect."""
        with self._lock:
            if self._driver is None or self._driver not in spare:
                self._driver, self._wanted = None, [0.0] * 3

    def speed(self):
        """The measured speed of the robot in m/s, never the commanded one. Must return immediately; raises if the sensors
        cannot tell."""
        with self._lock:
            vx, vy, turn = self._velocity
        return math.hypot(vx, vy) + abs(turn) / 90 + self._pushed

    def estop_engaged(self):
        """Whether the emergency stop in the hardware is engaged. Must return immediately; raises if it cannot be read."""
        return bool(self._estop_file) and os.path.exists(self._estop_file)

    def state(self):
        """What the robot tells of itself: only members that it has. See "What the robot tells" in docs/mqtt.md."""
        with self._lock:
            (x, y, theta), (vx, vy, turn) = self._pose, self._velocity
        linear = math.hypot(vx, vy)
        return {
            "pose": {"x": round(x, 4), "y": round(y, 4), "z": 0.0, "theta": round(theta, 2)},
            "velocity": {"linear": round(linear, 4), "angular": round(turn, 2)},
            "moving": self.speed() >= STANDSTILL,
            "power": "on",
        }

    def joints(self):
        """Positions by name, in radians, or metres of prismatic joints."""
        with self._lock:
            return dict(zip(("left_wheel", "right_wheel"), (round(each, 3) for each in self._wheels)))

    def steer(self, motion, vx, vy, wz):
        """Drives at a velocity in the robot's own frame (m/s, rad/s) until it is called again. False while a drive that it
        has cancelled still has the base."""
        with self._lock:
            motion.check()  # under the same lock as halt()
            if self._driver not in (None, motion):
                self._driver.end("The robot is driven by hand.")
                return False
            turned = math.radians(self._pose[2])
            forward = vx * math.cos(turned) - vy * math.sin(turned), vx * math.sin(turned) + vy * math.cos(turned)
            self._driver, self._wanted = motion, [*forward, math.degrees(wz)]
            return True

    def release(self, motion):
        """Stands still, if this motion drives it."""
        with self._freed:
            if self._driver is motion:
                self._driver, self._wanted = None, [0.0] * 3
            self._freed.notify_all()

    def take(self, motion):
        """Ends the drive under way, if there is one, and waits up to 2 s for its end. Whether there was one."""
        with self._freed:
            motion.check()
            driver = self._driver
            if driver in (None, motion):
                return False
            if driver.order > motion.order:
                raise Refused("busy", "A newer command drives the base.")
            driver.end("A newer command has taken the base.")
            if not self._freed.wait_for(lambda: self._driver is not driver, REPLACE_SECONDS):
                raise Refused("busy", f"The drive under way has not ended within {REPLACE_SECONDS} s.")
            return True

    def drive(self, motion, x, y, theta):
        """Drives by metres and degrees relative to the current pose. Returns on arrival, or raises Refused if the motion ends
        early. The newest command takes over the base."""
        seconds = self.duration(x, y, theta)
        with self._lock:
            motion.check()  # under the same lock as halt(), so that a motion ended by a stop never gets past it
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
            self.release(motion)

    def duration(self, x, y, theta):
        return max(math.hypot(x, y) / self.SPEED, abs(theta) / self.TURN, self.STEP)

    def pose(self):
        with self._lock:
            return {**dict(zip(("x", "y", "theta"), self._pose)), "z": 0.0}

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
                turned = math.radians(self._pose[2])
                forward = self._velocity[0] * math.cos(turned) + self._velocity[1] * math.sin(turned)
                for wheel, side in enumerate((-1, 1)):
                    rim = forward + side * math.radians(self._velocity[2]) * self.TRACK / 2
                    self._wheels[wheel] += rim / self.WHEEL * seconds
            if printing and now - printed >= 0.02:
                printed = now
                LOG.info("speed %.3f", self.speed())


# --- YOUR ROBOT, part 2: the commands -------------------------------------------------------------------------------------

BASE = SimulatedBase()
COMMANDS = {}  # name: its catalogue entry, and the function


def command(name, kind, title, effect="action", **more):
    """Registers a function as a command. It receives a call with the attributes value, sender, deadline (seconds since the
    epoch) and, for motion=True, motion. Each call runs in its own thread, so a function may block."""

    if effect == "query":
        more.setdefault("motion", False)  # an action has to say it

    def register(function):
        COMMANDS[name] = ({"name": name, "kind": kind, "title": title, "effect": effect, **more}, function)
        return function

    return register


def members(**types):
    """JSON Schema of an object with these members."""
    properties = {name: {"type": type} if isinstance(type, str) else type for name, type in types.items()}
    return {"type": "object", "properties": properties, "required": list(types)}


# What robots of all makers answer to these commands; see docs/mqtt.md.
CALLED = members(called="boolean", msg="string")
STARTED = members(started="boolean", msg="string")
AWAITED = members(awaited="boolean", start_result=STARTED, msg="string")
CANCELLED = members(cancelled="boolean", msg="string")
ID = "0b9b5c2e-6a52-4c9a-9d4d-1f3a2b8c7d10"


@command("get_language", "none", "Language", "query", result={"type": "string"}, examples=[{"result": "en"}])
def get_language(call):
    return "en"


@command(
    "get_pose",
    "none",
    "Pose in metres and degrees",
    "query",
    result=members(x="number", y="number", z="number", theta="number", moving="boolean"),
    examples=[{"result": {"x": 1.0, "y": 0.5, "z": 0.0, "theta": 90.0, "moving": False}}],
)
def get_pose(call):
    return {**BASE.pose(), "moving": BASE.speed() >= STANDSTILL}


@command(
    "sound_level",
    "int",
    "Set the sound level",
    motion=False,
    bounds={"minimum": 0, "maximum": 100},
    unit="%",
    result=members(sound_level="integer"),
    examples=[{"value": 40, "result": {"sound_level": 40}}],
)
def sound_level(call):
    return {"sound_level": call.value}


@command(
    "say",
    "str",
    "Say a text, at 15 characters a second",
    motion=False,
    result=members(said="string"),
    examples=[{"value": "Hello", "result": {"said": "Hello"}}],
)
def say(call):
    time.sleep(len(call.value) / 15)  # stands in for a call that returns when it is done
    return {"said": call.value}


@command(
    "go_to_relative",
    "coordinates",
    "Move relative to the current pose",
    motion=True,
    replaces=True,
    result=CALLED,
    examples=[{"value": {"x": 1, "theta": 90}, "result": {"called": True, "msg": ID}}],
)
def go_to_relative(call):
    way = {"x": 0, "y": 0, "z": 0, "theta": 0, **call.value}
    if way.pop("z") != 0:
        fault = {"pointer": "/value/z", "message": "must be 0"}
        raise Refused("validation_failed", "The base stays on the floor.", errors=[fault])
    if math.hypot(way["x"], way["y"]) > 10:
        why = "The robot goes 10 m at most."
        return Declined({"called": False, "msg": why, "accepted": False}, why)
    seconds = BASE.duration(**way)
    replaced = BASE.take(call.motion)
    mission = Mission.start(call, ["go_to_relative"], lambda motion: BASE.drive(motion, **way))  # the answer does not wait
    result = {"called": True, "msg": mission, "accepted": True, "arrives_in_seconds": round(seconds, 3)}
    return Replaced(result) if replaced else result


@command(
    "dock",
    "none",
    "Return to where it started, even if the link is lost",
    motion=True,
    replaces=True,
    on_lapse="finish",
    result=CALLED,
    examples=[{"result": {"called": True, "msg": ID}}],
)
def dock(call):
    def go_home(motion):
        pose = BASE.pose()
        turned = math.radians(pose["theta"])
        x = -pose["x"] * math.cos(turned) - pose["y"] * math.sin(turned)
        y = pose["x"] * math.sin(turned) - pose["y"] * math.cos(turned)
        BASE.drive(motion, x, y, 0)

    replaced = BASE.take(call.motion)
    result = {"called": True, "msg": Mission.start(call, ["dock"], go_home)}
    return Replaced(result) if replaced else result


@command(
    "get_skills",
    "none",
    "Skills of the robot",
    "query",
    result={"type": "array", "items": members(name="string", title="string", takes="object")},
    examples=[{"result": [{"name": "wave", "title": "Wave a hand", "takes": {}}]}],
)
def get_skills(call):
    return [
        {"name": "patrol", "title": "Drive forth and back", "takes": {"metres": "0 to 5, 1 when absent"}},
        {"name": "wait", "title": "Do nothing for a while", "takes": {"seconds": "0 to 600, 1 when absent"}},
        {"name": "wave", "title": "Wave a hand", "takes": {}},
    ]


@command(
    "skill",
    "dict",
    "Call a skill by its name, with its arguments",
    motion=True,
    result=CALLED,
    examples=[{"value": {"name": "wave"}, "result": {"called": True, "msg": ID}}],
)
def skill(call):
    def patrol(motion):
        BASE.drive(motion, metres, 0, 0)
        EVENTS.tell("mission_progressed", motion.mission, progress=0.5)
        BASE.drive(motion, -metres, 0, 0)

    def wait(motion):
        motion.ended.wait(seconds)
        motion.check()

    def wave(motion):
        motion.ended.wait(3)  # simulates a gesture that takes 3 s
        motion.check()

    work = {"patrol": patrol, "wait": wait, "wave": wave}.get(call.value.get("name"))
    metres, seconds = call.value.get("metres", 1), call.value.get("seconds", 1)
    if work is None:
        return Declined({"called": False, "msg": "Unknown skill"}, "The robot has no such skill; get_skills lists them.")
    for name, value, most in (("metres", metres, 5), ("seconds", seconds, 600)):
        if not is_number(value) or not 0 <= value <= most:
            fault = {"pointer": f"/value/{name}", "message": f"a number from 0 to {most}"}
            raise Refused("validation_failed", f"The skill takes {name} from 0 to {most}.", "no", [fault])
    return {"called": True, "msg": Mission.start(call, [call.value["name"]], work)}


@command(
    "wait_for_skill",
    "str",
    "Wait until a mission is over",
    "query",
    waits=True,
    result=AWAITED,
    examples=[
        {
            "value": ID,
            "result": {
                "awaited": True,
                "start_result": {"started": True, "msg": "Mission started"},
                "msg": "Mission finished",
            },
        }
    ],
)
def wait_for_skill(call):
    mission = Mission.known.get(call.value)
    if mission is None:
        start = {"started": False, "msg": "Mission not found"}
        return {"awaited": False, "start_result": start, "msg": "Mission not found"}
    if not mission.over.wait(max(0, call.deadline - time.time())):
        raise Refused("robot_timeout", "The mission is still running and continues.", "maybe")
    return {"awaited": mission.finished, "start_result": {"started": True, "msg": "Mission started"}, "msg": mission.how}


@command(
    "cancel_skill",
    "str",
    "Cancel a mission",
    motion=False,
    result=CANCELLED,
    examples=[{"value": ID, "result": {"cancelled": True, "msg": "Mission cancelled"}}],
)
def cancel_skill(call):
    mission = Mission.known.get(call.value)
    if mission is None or mission.over.is_set():
        return {"cancelled": False, "msg": "Mission not found"}
    mission.motion.end("Mission cancelled")
    return {"cancelled": True, "msg": "Mission cancelled"}


class Events:
    """What happened, numbered, until the link publishes it. The oldest events are dropped if it is down for long."""

    def __init__(self):
        self._waiting, self._lock, self._seq = collections.deque(maxlen=100), threading.Lock(), 0

    def tell(self, event, mission, **more):
        with self._lock:
            self._seq += 1
            self._waiting.append({"v": 1, "seq": self._seq, "event": event, "mission": mission, **more})

    def take(self):
        """The oldest event that was not taken yet, or None."""
        with self._lock:
            return self._waiting.popleft() if self._waiting else None


EVENTS = Events()


class Mission:
    """Work that continues after its command was answered with the mission's id. The latest finished ones are remembered."""

    known = collections.OrderedDict()

    def __init__(self, motion):
        self.motion, self.over = motion, threading.Event()
        self.finished, self.how = False, "Mission cancelled"

    @classmethod
    def start(cls, call, skills, work):
        motion, key = call.motion, str(uuid.uuid4())
        mission = cls.known[key] = cls(motion)
        motion.mission = key
        EVENTS.tell("mission_started", key, skills=skills, client_id=call.sender["client_id"])
        carry(motion, mission._run, work)
        for old in [known for known, each in list(cls.known.items()) if each.over.is_set()][:-MAX_MISSIONS]:
            cls.known.pop(old, None)
        return key

    def _run(self, motion, work):
        try:
            work(motion)
            self.finished, self.how = True, "Mission finished"
            EVENTS.tell("mission_finished", motion.mission)
        except Refused as refusal:
            self.how = str(refusal)
            EVENTS.tell("mission_cancelled", motion.mission, message=self.how)
        except Exception as failure:
            self.how = f"Mission failed: {failure}"
            EVENTS.tell("mission_failed", motion.mission, message=self.how)
            LOG.exception("a mission failed")
        finally:
            self.over.set()


# --- Safety: the fence, stop, and the end of the link ---------------------------------------------------------------------


class Stop:
    """A stop that waits until the robot stands still. Calls settle(problem, cancelled_missions) once; no problem means it does."""

    def __init__(self, settle, spare=frozenset(), cancelled=0):
        self.settle, self.spare, self.cancelled = settle, spare, cancelled
        self.began, self.stands_since = time.monotonic(), None


class Safety:
    """Decides what may move. Never waits for a command, the network or the log."""

    def __init__(self, body):
        self._body = body
        # The fence must not decrease on restart. The time in ms is above any number an earlier run can have reached; a robot
        # whose clock may start in the past should also keep the number in a file.
        self.number = int(time.time() * 1000)
        self.closed = None
        self._lock = threading.Lock()
        self._motions, self._order, self._stopping = set(), 0, 0
        self._heard, self._lost = -math.inf, True
        self.estop = "unknown"
        self._stops = queue.SimpleQueue()

    def start(self):
        self._read_estop()
        # Started first and solely responsible for halting, so that a shortage of threads cannot delay a stop.
        threading.Thread(target=self._guard, name="guard", daemon=True).start()

    def admit(self, sent, finishes):
        """Permits a motion whose sender knew this fence number; None from a service without fence support."""
        with self._lock:
            if sent is not None and sent < self.number:
                raise Refused("stopped", "The robot was stopped after this command was sent. Send it again to move.")
            self.number = max(self.number, sent or 0)
            if self.estop != "released":
                raise Refused("estop_engaged", f"The emergency stop of the robot is {self.estop}. Release it at the robot.")
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
        """Takes effect before it returns: admitted motions have ended, and commands sent earlier will be refused."""
        with self._lock:
            self._raise(self.number + 1)
            cancelled = sum(motion.mission is not None for motion in self._motions)
            self._end(self._motions, why)
        self._stops.put(Stop(settle, cancelled=cancelled))

    def raise_above(self, sent):
        """Raises the fence above a number that came with a stop."""
        with self._lock:
            self._raise(sent + 1)

    def heard(self, when):
        """The broker answered a ping sent at that time; a late answer does not prove that it is alive now."""
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
            stops += self._watch_link() + self._watch_estop()
            HAND.watch(now)
            if stops:
                speed, problem = self._halt(frozenset.intersection(*(stop.spare for stop in stops)))
                stands = abs(speed) < STANDSTILL and now - looked < 0.1  # after a gap the robot may have moved unnoticed
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

    def _watch_estop(self):
        before = self.estop
        if self._read_estop() == "released" or self.estop == before:
            return []
        why = f"The emergency stop of the robot is {self.estop}."
        with self._lock:
            self._raise(self.number + 1)
            self._end(self._motions, why)
        LOG.warning(why)
        return [Stop(lambda problem, _cancelled: problem and LOG.error(problem))]

    def _read_estop(self):
        try:
            self.estop = "engaged" if self._body.estop_engaged() else "released"
        except Exception:
            self.estop = "unknown"  # counts as engaged
        return self.estop

    def _halt(self, spare):
        try:
            self._body.halt(spare)
            speed = self._body.speed()
            if abs(speed) < STANDSTILL:
                return speed, f"The robot was not seen standing still for {STANDSTILL_SECONDS} s without a gap."
            return speed, f"The robot is still moving at {speed:.2f} m/s; something else may be driving it."
        except Exception as failure:
            return math.inf, f"The robot may be still moving: it could not be halted, or not tell its speed. {failure}"

    def _settle(self, stop, now, stands, problem):
        """Whether the stop is finished."""
        stop.stands_since = (stop.stands_since or now) if stands else None
        still = stop.stands_since is not None and now - stop.stands_since >= STANDSTILL_SECONDS
        if not still and now - stop.began < (STANDSTILL_SECONDS if stop.spare else STOP_SECONDS):
            return False
        with self._lock:
            self._stopping -= 1
        try:
            stop.settle(None if still or stop.spare else problem, stop.cancelled)
        except Exception:
            LOG.exception("could not answer a stop")
        return True


class Hand:
    """Driving by hand. The latest frame counts, for at most WATCHDOG_MS. Afterwards, and after everything that has ended the
    motion, the stick must be let go (a frame of zero velocity) before it moves the robot again: what a network held back
    arrives all at once, and none of it moves anything."""

    def __init__(self, safety, body):
        self._safety, self._body = safety, body
        self._lock = threading.Lock()
        self._motion, self._until = None, -math.inf
        self._last = -1, -1  # fence and number of the newest frame
        self._free_at = math.inf  # when a frame may move the robot; never before a frame of zero velocity

    def handle(self, payload):
        """Runs in the thread that reads the socket. There is no answer."""
        frame = read_jog(payload)
        with self._lock:
            if frame is None:
                self._let_go(math.inf)  # what cannot be read counts as zero
                return
            number, velocity, seconds = frame
            is_new = number > self._last and number[0] >= self._safety.number
            if is_new and number[0] > self._last[0]:
                self._let_go(self._free_at)  # somebody else drives it now
            self._last = max(self._last, number)
            if not any(velocity):
                self._let_go(time.monotonic() + HANDS_OFF_SECONDS if is_new else self._free_at)
            elif is_new:
                self._drive(number[0], velocity, seconds)

    def end(self):
        """Ends the motion, if there is one."""
        with self._lock:
            self._let_go(math.inf)

    def watch(self, now):
        """Ends the motion if no frame has come for too long. Called 50 times a second."""
        with self._lock:
            if self._motion and (now >= self._until or self._motion.ended.is_set()):
                self._let_go(math.inf)

    def _drive(self, fence, velocity, seconds):
        now = time.monotonic()
        if now < self._free_at or self._safety.closed:
            return
        try:
            if self._motion is None:
                self._motion = self._safety.admit(fence, finishes=False)
            self._motion.check()
            self._until = now + min(seconds, WATCHDOG_MS / 1000)
            self._body.steer(self._motion, *velocity)
        except Refused:
            self._let_go(math.inf)

    def _let_go(self, free_at):
        self._free_at = free_at
        if self._motion:
            self._body.release(self._motion)
            self._safety.release(self._motion)
            self._motion = None


def read_jog(payload):
    """Reads a frame: (fence, seq), (vx, vy, wz) within the limits, seconds. None if it is not one."""
    try:
        message = json.loads(payload)
        fence, seq, valid = (message[name] for name in ("fence", "seq", "valid_ms"))
        velocity = [message[name] for name in ("vx", "vy", "wz")]
        fits = (
            message["v"] == 1
            and all(type(each) is int and 0 <= each <= MAX_FENCE for each in (fence, seq, valid))
            and all(is_number(each) for each in velocity)
        )
    except Exception:  # JSON can fail in many ways
        return None
    if not fits:
        return None
    vx, vy, wz = velocity
    fast = max(1.0, math.hypot(vx, vy) / MAX_LINEAR)  # the direction is kept
    return (fence, seq), (vx / fast, vy / fast, max(-MAX_ANGULAR, min(MAX_ANGULAR, wz))), valid / 1000


SAFETY = Safety(BASE)
HAND = Hand(SAFETY, BASE)


# --- Commands: each validated again, run at most once, in its own thread ---------------------------------------------------


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


def check_value(spec, message):
    """Checks kind, bounds and items against the catalogue entry. `args` is checked by the command's own function."""
    kind, has_value, value = spec["kind"], "value" in message, message.get("value")
    if has_value == (kind == "none") or has_value and not KINDS[kind](value):
        raise Refused("wrong_value_type", f"The command {spec['name']} takes a value of kind {kind}.")
    bounds = spec.get("bounds", {})
    if kind in ("int", "float") and not bounds.get("minimum", -math.inf) <= value <= bounds.get("maximum", math.inf):
        raise Refused("validation_failed", "The value is out of bounds.", "no", [{"pointer": "/value", "message": str(bounds)}])
    if spec.get("items") == "str" and not all(type(item) is str for item in value):
        raise Refused("validation_failed", "The list may hold strings only.")


def check_time(message):
    """Refuses late commands. Both times come from another clock, which must agree with ours."""
    now, issued = time.time(), message["issued_at"] / 1000
    if issued - now > SKEW_SECONDS:
        detail = f"The clock of the robot is {issued - now:.1f} s behind that of the service; set both clocks by NTP."
        raise Refused("robot_unavailable", detail)
    # For a command that waits, deadline is how long it may wait, and begin_by its latest start.
    if now >= min(message["deadline"], message.get("begin_by", math.inf)) / 1000:
        detail = (
            f"The command reached the robot {now - issued:.1f} s after it was sent, which is too late. "
            "If that is not so, the two clocks disagree; set both clocks by NTP."
        )
        raise Refused("robot_timeout", detail)


def read_command(payload):
    """Parses and validates a message. @raises Refused"""
    try:
        message = json.loads(payload)
        integers = [message[name] for name in ("issued_at", "deadline", "begin_by", "fence") if name in message]
        fits = (
            message["v"] == 1
            and re.fullmatch("[A-Za-z0-9_-]{16,64}", message["id"])
            and type(message["command"]) is str
            and {"issued_at", "deadline"} <= set(message)
            and type(message["sender"]["client_id"]) is str
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
        self._seen = {}  # id: until when a duplicate would still be accepted
        self._running = threading.Semaphore(MAX_COMMANDS)

    def begin(self, payload, answer):
        """Called in order of arrival. Validates the message and runs it in its own thread."""
        try:
            message = read_command(payload)
            spec, function = COMMANDS.get(message["command"], (None, None))
            check_time(message)
            if spec is None:
                raise Refused("unknown_command", f"The robot does not know {message['command']!r}.")
            check_value(spec, message)
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
        if len(self._seen) >= MAX_IDS:  # forgetting one of them could run its command twice
            raise Refused("robot_unavailable", "The robot has more commands than it can keep apart.")
        self._seen[message["id"]] = message["deadline"] / 1000 + SKEW_SECONDS
        return True

    def _run(self, message, spec, function, call, answer):
        try:
            check_time(message)  # the thread may have been scheduled late
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
    """Continues a motion after its command was answered."""

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


# --- The link: successive connections to the broker ------------------------------------------------------------------------


class Client(mqtt.Client):
    """paho-mqtt 1.6 does not expose the reason of a DISCONNECT without properties."""

    reason = None

    def _handle_disconnect(self):
        if self._in_packet["packet"]:
            self.reason = self._in_packet["packet"][0]
        return super()._handle_disconnect()


class Takeovers:
    """Detects another program with the id of this robot, by sessions that are not our own."""

    def __init__(self):
        self._known, self._times, self._first = collections.deque(maxlen=1000), [], True

    def new_session(self):
        session = secrets.token_urlsafe(12)
        self._known.append(session)
        return session

    def notice(self, session):
        """Records the retained session. True if another program has taken over too often."""
        first, self._first = self._first, False
        if session is None or session in self._known:
            return False
        self._known.append(session)  # a stale presence counts once, and not at all at the start
        if first:
            return False
        now = time.monotonic()
        self._times = [then for then in self._times if now - then < TAKEOVER_SECONDS] + [now]
        return len(self._times) >= TAKEOVERS


class Link:
    """One connection with its own client and session, so that nothing is carried over from the previous one."""

    def __init__(self, settings, safety, dispatcher, takeovers):
        self._safety, self._dispatcher, self._takeovers = safety, dispatcher, takeovers
        self._topic, self._session = f"robots/{settings['robot']}", takeovers.new_session()
        self._kept_session = self._asked_kept = self._kept_told = None
        self._asked, self._lock = {}, threading.Lock()  # packet id of a ping: when it was sent
        self.up, self.gone, self.taken_over, self._left = False, threading.Event(), False, False
        self._longest = MAX_PACKET
        options = {"client_id": f"robot-{settings['robot']}", "protocol": mqtt.MQTTv5, "reconnect_on_failure": False}
        if hasattr(mqtt, "CallbackAPIVersion"):  # paho-mqtt 2
            options["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION2
        self._client = client = Client(**options)
        # Their arguments differ between paho versions; those used here are in the same position.
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_unsubscribe = lambda _client, _userdata, mid, *_rest: self._on_unsubscribe(mid)
        client.on_disconnect = lambda _client, _userdata, *rest: self._on_disconnect(rest)
        client.on_message = self._on_message
        client.will_set(f"{self._topic}/presence", json.dumps(self._offline()), qos=1, retain=True)
        client.username_pw_set(settings["user"], settings["password"])
        if settings["port"] == 8883:
            client.tls_set()  # uses the system's CAs; override with SSL_CERT_FILE
        properties = Properties(PacketTypes.CONNECT)
        properties.MaximumPacketSize = MAX_PACKET
        client.connect(settings["host"], settings["port"], keepalive=5, clean_start=True, properties=properties)
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # otherwise answers may be delayed by up to 40 ms
        client.loop_start()  # only its thread writes to the socket; publish() from other threads is safe
        threading.Thread(target=self._tend, daemon=True).start()

    def leave(self):
        """Publishes that the robot is offline and disconnects cleanly, so that the broker discards the will."""
        self._left = True
        if self.up:
            self._publish_presence(self._offline(reason="Its program was ended."))
        self._client.disconnect()
        self.gone.wait(1)

    def drop(self):
        """Closes a dead connection."""
        self.gone.set()
        try:
            self._client.socket().shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):  # already closed
            pass

    def _on_connect(self, client, _userdata, _flags, reason, properties):
        if reason.value >= 0x80:
            LOG.warning("the broker refused the connection: %s", reason)
            return
        # The broker would disconnect a client that sends a longer answer.
        self._longest = min(MAX_PACKET, getattr(properties, "MaximumPacketSize", MAX_PACKET)) - 1024
        # No retained messages, which would be outdated commands. Stop first, as everywhere.
        options = SubscribeOptions(qos=0, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        asked = time.monotonic()
        with self._lock:
            _, mid = client.subscribe([(f"{self._topic}/{name}", options) for name in ("stop", "jog", "commands")])
            self._asked[mid] = asked

    def _offline(self, **more):
        return {"v": 1, "online": False, "session": self._session, **more}

    def _on_subscribe(self, client, _userdata, mid, reasons, _properties):
        if mid == self._asked_kept:
            _, self._kept_told = client.unsubscribe(f"{self._topic}/presence")
            return
        if any(reason.value >= 0x80 for reason in reasons):
            LOG.error("the broker does not let this robot subscribe to its commands; check its access rules")
            self.drop()
            return
        self._on_sign_of_life(mid)
        # The retained presence shows who was connected before. It has arrived by the time the unsubscribe is confirmed. A
        # robot that may not read its own presence receives nothing and just connects.
        _, self._asked_kept = client.subscribe(f"{self._topic}/presence", options=SubscribeOptions(qos=0))

    def _on_unsubscribe(self, mid):
        if mid != self._kept_told:
            self._on_sign_of_life(mid)
        elif self._takeovers.notice(self._kept_session):
            self.taken_over = True
            self._client.disconnect()  # without publishing: the broker discards the will, and the other program is not disturbed
        else:
            self.up = True  # only now, because a robot that cannot receive a stop must not announce itself
            LOG.info("connected, session %s", self._session)

    def _on_sign_of_life(self, mid):
        with self._lock:
            asked = self._asked.pop(mid, None)
        if asked is not None and not self.gone.is_set():
            self._safety.heard(asked)

    def _on_disconnect(self, rest):
        HAND.end()
        if not self.gone.is_set():
            reasons = [self._client.reason, *(getattr(each, "value", None) for each in rest)]
            self.taken_over = self.taken_over or 0x8E in reasons
        self.gone.set()

    def _tend(self):
        """Pings the broker, and publishes presence regularly and whenever the fence number has changed."""
        asked = said = -math.inf
        number = None
        told = {}  # branch: what was published last, and when
        while not self.gone.wait(0.05):
            now = time.monotonic()
            try:
                if self.up and (number != self._safety.number or now - said >= PRESENCE_SECONDS):
                    said, number = now, self._safety.number
                    self._publish_presence(self._presence(number))
                if self.up and now - asked >= ASK_SECONDS:
                    # A ping: unsubscribing from an unknown topic has no effect and needs no permission, but is confirmed.
                    asked = now
                    with self._lock:
                        _, mid = self._client.unsubscribe(f"{self._topic}/alive")
                        self._asked[mid] = now
                if self.up and self._safety.silence() < SILENCE_SECONDS:  # otherwise it would pile up
                    self._report(told, now)
            except Exception:
                LOG.exception("keeping the link alive failed")

    def _report(self, told, now):
        """Publishes what happened, and state and joints when they change and once a second."""
        event = EVENTS.take()
        while event:
            self._client.publish(f"{self._topic}/events", json.dumps(event))
            event = EVENTS.take()
        joints = BASE.joints()
        state = {"v": 1, **BASE.state()}
        if self._safety.estop != "unknown":
            state["estop"] = self._safety.estop
        reports = {"state": state, "joints": {"v": 1, "names": list(joints), "positions": list(joints.values())}}
        for branch, report in reports.items():
            text = json.dumps(report, allow_nan=False)
            before, then = told.get(branch, (None, -math.inf))
            if now - then >= (REPORT_SECONDS if text != before else REPEAT_SECONDS):
                told[branch] = text, now
                self._client.publish(f"{self._topic}/{branch}", text)

    def _presence(self, number):
        return {
            "v": 1,
            "online": True,
            "session": self._session,
            "catalogue": [spec for spec, _ in COMMANDS.values()],
            "features": ["fence", "begin_by", "estop"],
            "jog": {"watchdog_ms": WATCHDOG_MS, "max_linear": MAX_LINEAR, "max_angular": MAX_ANGULAR},
            "fence": number,
            "link_loss_ms": LINK_LOSS_MS,
            "stop_effect": "hold",  # what your robot does once stopped: hold its position, go limp, or brake
        }

    def _publish_presence(self, presence):
        if self._left and presence["online"]:
            return
        properties = Properties(PacketTypes.PUBLISH)
        properties.MessageExpiryInterval = PRESENCE_EXPIRY
        self._client.publish(f"{self._topic}/presence", json.dumps(presence), retain=True, properties=properties)

    def _on_message(self, _client, _userdata, packet):
        """Runs in the thread that reads the socket, so it must not block."""
        try:
            if packet.topic == f"{self._topic}/stop":
                self._handle_stop(packet)
            elif packet.topic == f"{self._topic}/jog":
                HAND.handle(packet.payload)
            elif packet.topic == f"{self._topic}/presence":
                self._kept_session = session_in(packet.payload)
            elif not self.gone.is_set() and self._answers_to(packet):
                self._dispatcher.begin(packet.payload, lambda outcome: self._answer(packet, outcome))
        except Exception:
            LOG.exception("could not handle a message")

    def _handle_stop(self, packet):
        """Stops before it even parses the message: a stop is never wrong."""

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
        """The topic for the answer, if one is wanted. A robot only publishes below its own branch."""
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
        elif isinstance(outcome, Replaced):
            answer.update(ok=True, result=outcome.result, replaced=True)
        else:
            answer.update(ok=True, result=outcome)
        if is_stop or answer.get("error", {}).get("code") == "stopped":
            answer["fence"] = self._safety.number
        try:
            text = json.dumps(answer, allow_nan=False)
            if len(text) > self._longest:
                raise ValueError("too long")
        except (TypeError, ValueError) as failure:
            error = {"code": "robot_error", "detail": f"The result cannot be sent: {failure}.", "ran": "maybe"}
            text = json.dumps({"v": 1, "id": answer["id"], "ok": False, "error": error})
        properties = Properties(PacketTypes.PUBLISH)
        properties.CorrelationData = packet.properties.CorrelationData
        self._client.publish(to, text, properties=properties)


def session_in(payload):
    """The session of a presence message, or None."""
    try:
        session = json.loads(payload)["session"]
    except Exception:  # no JSON, or no session
        return None
    return session if type(session) is str else None


class Connector:
    """Reconnects whenever the connection is lost, unless another program has taken the robot's id."""

    def __init__(self, settings, safety):
        self._settings, self._safety = settings, safety
        self._dispatcher, self._takeovers = Dispatcher(safety), Takeovers()
        self._ending, self.taken_over = threading.Event(), threading.Event()
        self._link = None
        threading.Thread(target=self._stay_connected, daemon=True).start()

    def leave(self):
        self._ending.set()
        if self._link:
            self._link.leave()

    def _stay_connected(self):
        wait = 0.2
        while not self._ending.is_set():
            link, began = None, time.monotonic()
            try:
                self._link = link = Link(self._settings, self._safety, self._dispatcher, self._takeovers)
                while not link.gone.wait(0.5):
                    if min(time.monotonic() - began, self._safety.silence()) > 10:
                        link.drop()
            except Exception as failure:
                LOG.warning("could not connect to the broker: %s", failure)
            if self._ending.is_set():
                return
            if link and link.up:
                LOG.warning("lost the connection to the broker")
                if time.monotonic() - began > 10:
                    wait = 0.2
            if link and link.taken_over:
                self.taken_over.set()
                return
            self._ending.wait(wait * (0.5 + secrets.randbelow(1000) / 1000))
            wait = min(wait * 2, 5)


def read_settings():
    if len(sys.argv) not in (4, 5):
        print(__doc__.split("\n", 1)[0], file=sys.stderr)
        print("Set the password in ROBOT_MQTT_PASSWORD or ROBOT_MQTT_PASSWORD_FILE.", file=sys.stderr)
        sys.exit(2)
    password = os.environ.pop("ROBOT_MQTT_PASSWORD", None)
    if password is None and "ROBOT_MQTT_PASSWORD_FILE" in os.environ:
        with open(os.environ["ROBOT_MQTT_PASSWORD_FILE"], encoding="utf-8") as file:
            password = file.read().rstrip("\n")
    host, port, robot = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    return {"host": host, "port": port, "robot": robot, "user": (*sys.argv, robot)[4], "password": password}


def main():
    settings = read_settings()
    # Log lines are written by a separate thread, so that a full pipe cannot delay a stop.
    lines = queue.SimpleQueue()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", handlers=[logging.handlers.QueueHandler(lines)])
    writer = logging.handlers.QueueListener(lines, logging.StreamHandler(sys.stdout))

    ending = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ending)  # before the first thread, because they are awaited below
    writer.start()
    BASE.start()
    SAFETY.start()
    connector = Connector(settings, SAFETY)
    while not connector.taken_over.is_set():
        info = signal.sigtimedwait(ending, 0.1)
        if info is not None and info.si_signo in ending:  # a program that was paused may get a different signal
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
