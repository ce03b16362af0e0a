"""JSON values as messages of ROS 1 and back, as strictly as rosbridge servers do it."""
import base64
import math

import genpy
import rospy
from genmsg.msgs import parse_type
from roslib.message import get_message_class

INTEGERS = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "byte", "char"}
FLOATS = {"float32", "float64"}


class Misfit(Exception):
    """A value that is not of the type it should have."""


def message_class(name):
    found = get_message_class(name)
    if found is None:
        raise Misfit("There is no message type %s" % name)
    return found


def from_json(value, message, path=()):
    """Fills a message in. @raise Misfit naming the field"""
    if not isinstance(value, dict):
        raise misfit(path, message._type, value)
    slots = dict(zip(message.__slots__, message._slot_types))
    if message._type == "std_msgs/Header":
        message.stamp = rospy.get_rostime()
    for name, part in value.items():
        if name not in slots:
            raise Misfit("Message type %s does not have a field %s" % (message._type, ".".join((*path, name))))
        setattr(message, name, field_from_json(part, slots[name], (*path, name)))
    return message


def field_from_json(value, type_name, path):
    base, is_array, _length = parse_type(type_name)
    if is_array:
        if base in ("uint8", "char") and isinstance(value, str):
            return base64.b64decode(value)
        if not isinstance(value, list):
            raise misfit(path, type_name, value)
        return [field_from_json(item, base, path) for item in value]
    if base in ("time", "duration"):
        return time_from_json(value, base, path)
    if base == "bool":
        fits = isinstance(value, bool)
    elif base in INTEGERS:
        fits = isinstance(value, int) and not isinstance(value, bool)
    elif base in FLOATS:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    elif base == "string":
        fits = isinstance(value, str)
    else:
        return from_json(value, message_class(base)(), path)
    if not fits:
        raise misfit(path, base, value)
    return value


def time_from_json(value, base, path):
    if base == "time" and value == "now":
        return rospy.get_rostime()
    if not isinstance(value, dict):
        raise misfit(path, base, value)
    kind = genpy.Time if base == "time" else genpy.Duration
    return kind(value.get("secs", 0), value.get("nsecs", 0))


def misfit(path, expected, value):
    return Misfit("Field %s requires a %s, but got a %s" % (".".join(path) or "(all)", expected, type(value).__name__))


def to_json(message):
    slots = zip(message.__slots__, message._slot_types)
    return {name: field_to_json(getattr(message, name), kind) for name, kind in slots}


def field_to_json(value, type_name):
    base, is_array, _length = parse_type(type_name)
    if is_array:
        if base in ("uint8", "char"):
            return base64.b64encode(bytes(value)).decode("ascii")
        return [field_to_json(item, base) for item in value]
    if base in ("time", "duration"):
        return {"secs": value.secs, "nsecs": value.nsecs}
    if base in FLOATS:
        return value if math.isfinite(value) else None
    if base in INTEGERS or base in ("bool", "string"):
        return value
    return to_json(value)
