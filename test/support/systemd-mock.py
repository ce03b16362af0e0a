"""A systemd as far as runs need it: units robot-skill@<id>.service that start <folder>/<id>/start.py as a process."""

import os
import signal
import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

FOLDER, = sys.argv[1:]
SYSTEMD = "org.freedesktop.systemd1"
PATH = "/org/freedesktop/systemd1"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Refusal(dbus.DBusException):
    def __init__(self, name, text):
        super().__init__(text, name=name)


class Unit(dbus.service.Object):
    def __init__(self, manager, name):
        self.manager, self.name = manager, name
        self.path = f"{PATH}/unit/" + "".join(c if c.isalnum() else f"_{ord(c):02x}" for c in name)
        super().__init__(manager.bus, self.path)
        self.process = None
        self.values = {
            "ActiveState": "inactive", "Job": dbus.Struct((dbus.UInt32(0), dbus.ObjectPath("/")), signature="uo"),
            "Result": "success", "ExecMainCode": dbus.Int32(0), "ExecMainStatus": dbus.Int32(0),
            "MemoryMax": dbus.UInt64(512 << 20), "TasksMax": dbus.UInt64(64),
            "MemoryCurrent": dbus.UInt64(1 << 20), "TasksCurrent": dbus.UInt64(1),
        }

    def start(self):
        self.set("active")
        id = self.name.split("@")[1].removesuffix(".service")
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-I", "-B", f"{FOLDER}/{id}/start.py"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        GLib.child_watch_add(GLib.PRIORITY_DEFAULT, self.process.pid, self.ended)

    def ended(self, pid, status):
        killed = os.WIFSIGNALED(status)
        self.values["ExecMainCode"] = dbus.Int32(2 if killed else 1)
        number = os.WTERMSIG(status) if killed else os.WEXITSTATUS(status)
        self.values["ExecMainStatus"] = dbus.Int32(number)
        self.values["Result"] = "success" if number == 0 else "signal" if killed else "exit-code"
        self.process = None
        self.set("inactive" if number == 0 else "failed")

    def set(self, state):
        self.values["ActiveState"] = state
        self.PropertiesChanged(f"{SYSTEMD}.Unit", {"ActiveState": state}, [])

    def signal(self, number):
        if self.process:
            os.killpg(self.process.pid, number)

    @dbus.service.method(f"{SYSTEMD}.Unit")
    def Ref(self):
        pass

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.values[name]

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Manager(dbus.service.Object):
    def __init__(self, bus):
        super().__init__(bus, PATH)
        self.bus, self.units, self.jobs = bus, {}, 0

    def known(self, name):
        if name not in self.units:
            raise Refusal(f"{SYSTEMD}.NoSuchUnit", f"Unit {name} not loaded.")
        return self.units[name]

    def job(self, name):
        if os.path.exists(f"{FOLDER}/../denied"):
            raise Refusal("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", "refused")
        self.jobs += 1
        path = dbus.ObjectPath(f"{PATH}/job/{self.jobs}")
        self.JobNew(self.jobs, path, name)
        return path

    @dbus.service.method(f"{SYSTEMD}.Manager", in_signature="s", out_signature="o")
    def LoadUnit(self, name):
        if name not in self.units:
            self.units[name] = Unit(self, name)
        return dbus.ObjectPath(self.units[name].path)

    @dbus.service.method(f"{SYSTEMD}.Manager", in_signature="ss", out_signature="o")
    def StartUnit(self, name, mode):
        job = self.job(name)
        self.units[name].start()
        return job

    @dbus.service.method(f"{SYSTEMD}.Manager", in_signature="ss", out_signature="o")
    def StopUnit(self, name, mode):
        unit, job = self.known(name), self.job(name)
        unit.signal(signal.SIGTERM)
        return job

    @dbus.service.method(f"{SYSTEMD}.Manager", in_signature="ssi")
    def KillUnit(self, name, who, number):
        self.known(name).signal(number)

    @dbus.service.method(f"{SYSTEMD}.Manager", in_signature="asas", out_signature="a(ssssssouso)")
    def ListUnitsByPatterns(self, states, patterns):
        return dbus.Array(
            [
                (name, "", "loaded", "active", "running", "", dbus.ObjectPath(unit.path), dbus.UInt32(0), "", dbus.ObjectPath("/"))
                for name, unit in self.units.items()
                if unit.process
            ],
            signature="(ssssssouso)",
        )

    @dbus.service.method(f"{SYSTEMD}.Manager")
    def Subscribe(self):
        pass

    @dbus.service.signal(f"{SYSTEMD}.Manager", signature="uos")
    def JobNew(self, id, job, unit):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
manager = Manager(bus)
name = dbus.service.BusName(SYSTEMD, bus)
GLib.MainLoop().run()
