#!/usr/bin/env python3
"""A robot behind an MQTT 5 broker, in one page: python3 robot-mqtt.py HOST PORT ROBOT_ID [USER PASSWORD]

Put your robot's own calls into COMMANDS and stop(). Needs paho-mqtt 1.6 (Debian: python3-paho-mqtt).
"""
import json, secrets, sys, time
import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

HOST, PORT, ROBOT = sys.argv[1], int(sys.argv[2]), sys.argv[3]
TOPIC, SKEW = f"robots/{ROBOT}", 2.0  # seconds by which the two clocks may differ
seen = {}  # ids of messages, until when they count

def sound_level(value, sender):
    return {"sound_level": value}

def stop():
    return {"stopped": True, "cancelled_missions": 0}

SPECS = [
    {"name": "sound_level", "kind": "int", "title": "Set the sound level", "effect": "action",
     "bounds": {"minimum": 0, "maximum": 100}, "unit": "%"},
    {"name": "get_language", "kind": "none", "title": "Language", "effect": "query"},
]
COMMANDS = {"sound_level": sound_level, "get_language": lambda value, sender: "en"}

class Refused(Exception): pass

def run(message):
    """Judges everything anew and runs the command at most once. None: it came before."""
    now, spec = time.time(), next((s for s in SPECS if s["name"] == message["command"]), None)
    if message["issued_at"] / 1000 - now > SKEW:
        raise Refused("robot_unavailable", "The clocks of robot and service disagree.")
    if now >= message["deadline"] / 1000:
        raise Refused("robot_timeout", "The command reached the robot too late.")
    if spec is None:
        raise Refused("unknown_command", f"The robot does not know {message['command']!r}.")
    value, bounds = message.get("value"), spec.get("bounds")
    if spec["kind"] == "int" and type(value) is not int or spec["kind"] == "none" and "value" in message:
        raise Refused("wrong_value_type", f"The command takes a value of kind {spec['kind']}.")
    if bounds and not bounds["minimum"] <= value <= bounds["maximum"]:
        raise Refused("validation_failed", "The value is out of bounds.")
    for old in [known for known, until in seen.items() if until < now]:
        del seen[old]
    if message["id"] in seen: return None
    seen[message["id"]] = message["deadline"] / 1000 + SKEW
    return COMMANDS[spec["name"]](value, message["sender"])

def on_message(client, _userdata, packet):
    question = packet.properties
    if not getattr(question, "ResponseTopic", "").startswith(f"{TOPIC}/answers/"):
        return stop() if packet.topic == f"{TOPIC}/stop" else None
    answer = {"v": 1, "id": question.CorrelationData.decode()}
    try:
        result = stop() if packet.topic == f"{TOPIC}/stop" else run(json.loads(packet.payload))
        if result is None: return
        answer.update(ok=True, result=result)
    except Refused as refusal:
        answer.update(ok=False, error={"code": refusal.args[0], "detail": refusal.args[1], "ran": "no"})
    except Exception as error:
        answer.update(ok=False, error={"code": "robot_error", "detail": str(error), "ran": "maybe"})
    properties = Properties(PacketTypes.PUBLISH)
    properties.CorrelationData = question.CorrelationData
    client.publish(question.ResponseTopic, json.dumps(answer), properties=properties)

def on_connect(client, _userdata, _flags, _reason, _properties):
    for branch in ("stop", "commands"):
        client.subscribe(f"{TOPIC}/{branch}")
    presence = {"v": 1, "online": True, "session": secrets.token_urlsafe(12), "catalogue": SPECS}
    client.publish(f"{TOPIC}/presence", json.dumps(presence), retain=True)

client = mqtt.Client(f"robot-{ROBOT}", protocol=mqtt.MQTTv5)
client.on_connect, client.on_message = on_connect, on_message
client.will_set(f"{TOPIC}/presence", json.dumps({"v": 1, "online": False}), qos=1, retain=True)
if len(sys.argv) > 5:
    client.username_pw_set(sys.argv[4], sys.argv[5])
client.connect(HOST, PORT, keepalive=10, clean_start=True)
client.loop_forever()
