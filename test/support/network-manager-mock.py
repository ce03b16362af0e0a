"""python-dbusmock's NetworkManager with what it lacks: scans that end, checkpoints, AddConnection2, Update2, failures,
and that a device runs on the settings its profile had when it was activated.

Every call that changes something is appended to the file named by the parameter `log`, one JSON array a line:
[member, argument, ...], where a value stands beside its D-Bus type.
"""
import json
import time

import dbus
import dbusmock
from dbusmock.templates import networkmanager as stock
from dbusmock.templates.networkmanager import *  # noqa: F401,F403 the control methods of the stock template
from gi.repository import GLib

BUS_NAME = stock.BUS_NAME
MAIN_OBJ = stock.MAIN_OBJ
MAIN_IFACE = stock.MANAGER_IFACE
SYSTEM_BUS = True
IS_OBJECT_MANAGER = True

NM = stock.MANAGER_IFACE
DEVICE_PATH = '/org/freedesktop/NetworkManager/Devices/wifi0'


class State:
    log = None
    outcome = 0
    scan = 'works'
    delay_ms = 30
    checkpoints = True
    rollback = 'works'
    former = '/'
    former_modified = False
    in_use = None  # the `connection` section the device runs on; None: as stored
    profiles = []
    count = 0


def shown(value):
    if isinstance(value, dbus.Boolean):
        return ['b', bool(value)]
    if isinstance(value, (dbus.String, dbus.ObjectPath)):
        return ['s', str(value)]
    if isinstance(value, dbus.UInt32):
        return ['u', int(value)]
    if isinstance(value, dbus.Int32):
        return ['i', int(value)]
    if isinstance(value, dbus.Array) and value.signature == 'y' or isinstance(value, dbus.ByteArray):
        return ['ay', bytes(value).decode('utf8')]
    if isinstance(value, dbus.Array):
        return ['a' + str(value.signature), [str(each) for each in value]]
    if isinstance(value, dict):
        return {str(key): shown(member) for key, member in value.items()}
    return [type(value).__name__, str(value)]


def record(member, *arguments):
    with open(State.log, 'a', encoding='utf8') as log:
        log.write(json.dumps([member, *[shown(each) for each in arguments]]) + '\n')


def request_scan(device, _options):
    if State.scan == 'refused':
        raise dbus.exceptions.DBusException('Scanning not allowed immediately following previous scan',
                                            name=NM + '.Device.NotAllowed')
    if State.scan == 'fails':
        raise dbus.exceptions.DBusException('the radio is deaf', name=NM + '.Device.Failed')
    device.UpdateProperties(stock.WIRELESS_DEVICE_IFACE,
                            {'LastScan': dbus.Int64(int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000))})


def add_connection2(settings_object, settings, flags, _arguments):
    record('AddConnection2', settings, flags)
    if 'psk' in settings.get('802-11-wireless-security', {}):
        if settings['802-11-wireless-security']['psk'] == 'refuse this one':
            raise dbus.exceptions.DBusException(
                "802-11-wireless-security.psk: 'refuse this one' is not valid", name=NM + '.Settings.Connection.InvalidProperty')
    path = settings_object.SettingsAddConnection(settings)
    dbusmock.get_object(path).AddMethod(stock.CSETTINGS_IFACE, 'Update2', 'a{sa{sv}}ua{sv}', 'a{sv}', update2)
    dbusmock.get_object(path).AddMethod(stock.CSETTINGS_IFACE, 'Delete', '', '', delete)
    return (dbus.ObjectPath(path), dbus.Dictionary({}, signature='sv'))


def update2(connection, settings, flags, _arguments):
    record('Update2', settings, flags)
    connection.settings = settings
    return dbus.Dictionary({}, signature='sv')


def delete(connection):
    record('Delete', dbus.ObjectPath(connection.path))
    device = dbusmock.get_object(DEVICE_PATH).props[stock.DEVICE_IFACE]
    before = dict(device)
    stock.ConnectionDelete(connection)
    # The stock one disconnects the device for a profile that is long out of use, too.
    if before['ActiveConnection'] in dbusmock.get_objects():
        device.update(before)


def stored_section():
    """The `connection` section of the profile the device is connected with."""
    active = dbusmock.get_object(DEVICE_PATH).Get(stock.DEVICE_IFACE, 'ActiveConnection')
    if active == '/':
        return {}
    profile = dbusmock.get_object(active).Get(stock.ACTIVE_CONNECTION_IFACE, 'Connection')
    return dict(dbusmock.get_object(profile).settings['connection'])


def get_applied_connection(_device, _flags):
    section = stored_section() if State.in_use is None else State.in_use
    return (dbus.Dictionary({'connection': dbus.Dictionary(section, signature='sv')}, signature='sa{sv}'), dbus.UInt64(1))


def use(active):
    """The device is connected through this active connection."""
    # Set directly: UpdateProperties cannot wrap an object path.
    properties = dbusmock.get_object(DEVICE_PATH).props[stock.DEVICE_IFACE]
    properties['ActiveConnection'] = dbus.ObjectPath(active)
    properties['State'] = dbus.UInt32(100 if active != '/' else 30)
    State.in_use = stored_section()


def activate(manager, connection, device, _specific):
    record('ActivateConnection', connection, device)
    State.count += 1
    path = manager.AddActiveConnection([device], connection, '/', 'join%d' % State.count, 1)
    use('/')
    psk = dict(dbusmock.get_object(connection).settings.get('802-11-wireless-security', {})).get('psk')
    GLib.timeout_add(State.delay_ms, settle, path, 7 if psk == 'wrong password' else State.outcome)
    return dbus.ObjectPath(path)


def settle(active, outcome):
    device = dbusmock.get_object(DEVICE_PATH)
    if outcome == 1000:  # never ends
        return False
    if outcome:
        device.EmitSignal(stock.DEVICE_IFACE, 'StateChanged', 'uuu',
                          [dbus.UInt32(120), dbus.UInt32(50), dbus.UInt32(outcome)])
        return False
    use(active)
    device.EmitSignal(stock.DEVICE_IFACE, 'StateChanged', 'uuu', [dbus.UInt32(100), dbus.UInt32(90), dbus.UInt32(0)])
    dbusmock.get_object(active).EmitSignal(stock.ACTIVE_CONNECTION_IFACE, 'StateChanged', 'uu',
                                           [dbus.UInt32(2), dbus.UInt32(0)])
    return False


def checkpoint_create(_manager, devices, seconds, flags):
    record('CheckpointCreate', devices, seconds, flags)
    if not State.checkpoints:
        raise dbus.exceptions.DBusException('no such method', name='org.freedesktop.DBus.Error.UnknownMethod')
    State.former = dbusmock.get_object(DEVICE_PATH).Get(stock.DEVICE_IFACE, 'ActiveConnection')
    State.former_modified = State.in_use is not None and State.in_use != stored_section()
    State.profiles = list(dbusmock.get_object(stock.SETTINGS_OBJ).ListConnections())
    return dbus.ObjectPath('/org/freedesktop/NetworkManager/Checkpoint/1')


def checkpoint_destroy(_manager, checkpoint):
    record('CheckpointDestroy', checkpoint)


def checkpoint_rollback(_manager, checkpoint):
    record('CheckpointRollback', checkpoint)
    for path in list(dbusmock.get_object(stock.SETTINGS_OBJ).ListConnections()):
        if path not in State.profiles:
            stock.ConnectionDelete(dbusmock.get_object(path))
    # As the real one, which gives no secrets to a profile that was modified since it was activated.
    use('/' if State.former_modified else State.former)
    if State.rollback == 'fails':  # what has been restored would be only when the checkpoint's time is over
        raise dbus.exceptions.DBusException('rollback failed', name=NM + '.Failed')
    return dbus.Dictionary({}, signature='su')


def reconnect(_manager):
    """For the test: the device has lost its connection and has been connected again by itself."""
    State.in_use = None


def behave(_manager, name, value):
    """For the test: how the next calls go."""
    setattr(State, str(name), type(getattr(State, str(name)))(value))


def load(mock, parameters):
    stock.load(mock, parameters)
    State.log = str(parameters['log'])
    manager = dbusmock.get_object(stock.MANAGER_OBJ)
    settings = dbusmock.get_object(stock.SETTINGS_OBJ)
    manager.AddMethod(NM, 'Behave', 'sv', '', behave)
    manager.AddMethod(NM, 'Reconnect', '', '', reconnect)
    manager.AddMethod(NM, 'CheckpointCreate', 'aouu', 'o', checkpoint_create)
    manager.AddMethod(NM, 'CheckpointDestroy', 'o', '', checkpoint_destroy)
    manager.AddMethod(NM, 'CheckpointRollback', 'o', 'a{su}', checkpoint_rollback)
    manager.AddMethod(NM, 'ActivateConnection', 'ooo', 'o', activate)
    settings.AddMethod(stock.SETTINGS_IFACE, 'AddConnection2', 'a{sa{sv}}ua{sv}', 'oa{sv}', add_connection2)
    stock.AddWiFiDevice(manager, 'wifi0', 'wlan0', 30)
    device = dbusmock.get_object(DEVICE_PATH)
    device.AddProperty(stock.WIRELESS_DEVICE_IFACE, 'LastScan', dbus.Int64(-1))
    device.AddMethod(stock.WIRELESS_DEVICE_IFACE, 'RequestScan', 'a{sv}', '', request_scan)
    device.AddMethod(stock.DEVICE_IFACE, 'GetAppliedConnection', 'u', 'a{sa{sv}}t', get_applied_connection)
