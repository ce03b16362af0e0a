import { uptime } from 'node:os';
import type { AccessPoint, CurrentConnection, Survey } from '../../port.ts';
import { securityOf, ssidText } from './access-point.ts';
import type { Device } from './device.ts';
import type { Manager } from './manager.ts';
import { ACCESS_POINT, DEVICE, NM, NO_OBJECT, STATE, WIRELESS } from './names.ts';
import { wifiProfiles } from './profiles.ts';

/** The known access points and the current connection of the device, without a new scan. */
export async function survey(manager: Manager, device: Device, clock: () => number): Promise<Survey> {
  const wireless = await manager.properties(device.path, WIRELESS);
  const saved = new Set((await wifiProfiles(manager)).map(({ ssid }) => ssidText(ssid)));
  const active = String(wireless.ActiveAccessPoint ?? NO_OBJECT);
  const [paths] = await manager.call(device.path, WIRELESS, 'GetAllAccessPoints');
  const accessPoints: AccessPoint[] = [];
  for (const path of paths as string[]) {
    // as: GetAllAccessPoints answers ao
    const found = await accessPoint(manager, path).catch(() => undefined); // it may have gone out of range
    if (found)
      accessPoints.push({ ...found, inUse: path === active, saved: saved.has(found.ssid) && found.ssid !== '' });
  }
  return {
    current: await currentConnection(manager, device.path),
    accessPoints,
    scannedAt: scanTime(wireless.LastScan, clock),
  };
}

/** The network the device is connected to, or null. */
export async function currentConnection(manager: Manager, devicePath: string): Promise<CurrentConnection | null> {
  const device = await manager.properties(devicePath, DEVICE);
  if (device.State !== STATE.activated) return null;
  const { ActiveAccessPoint } = await manager
    .properties(devicePath, WIRELESS)
    .catch(() => ({ ActiveAccessPoint: NO_OBJECT }));
  const path = String(ActiveAccessPoint ?? NO_OBJECT);
  const heard = path === NO_OBJECT ? undefined : await accessPoint(manager, path).catch(() => undefined);
  const ipAddresses = [
    ...(await addresses(manager, device.Ip4Config, `${NM}.IP4Config`)),
    ...(await addresses(manager, device.Ip6Config, `${NM}.IP6Config`)),
  ];
  if (!heard) {
    const ssid = await activeSsid(manager, String(device.ActiveConnection ?? NO_OBJECT));
    return ssid === undefined
      ? null
      : { ssid, bssid: null, signal: null, frequency: null, security: null, ipAddresses };
  }
  const { ssid, bssid, signal, frequency, security } = heard;
  return { ssid, bssid, signal, frequency, security, ipAddresses };
}

async function accessPoint(manager: Manager, path: string) {
  const found = await manager.properties(path, ACCESS_POINT);
  return {
    ssid: ssidText(found.Ssid),
    bssid: String(found.HwAddress),
    signal: Number(found.Strength),
    frequency: Number(found.Frequency),
    security: securityOf(Number(found.Flags), Number(found.WpaFlags), Number(found.RsnFlags)),
  };
}

async function addresses(manager: Manager, path: unknown, of: string): Promise<string[]> {
  if (typeof path !== 'string' || path === NO_OBJECT) return [];
  const { AddressData } = await manager.properties(path, of);
  const entries = (AddressData ?? []) as ReadonlyArray<{ address?: unknown }>; // as: aa{sv}
  return entries.map(({ address }) => String(address)).filter((address) => !address.startsWith('fe80:'));
}

async function activeSsid(manager: Manager, path: string): Promise<string | undefined> {
  if (path === NO_OBJECT) return undefined;
  const { Connection } = await manager.properties(path, `${NM}.Connection.Active`);
  const profiles = await wifiProfiles(manager);
  const profile = profiles.find((each) => each.path === Connection);
  return profile && ssidText(profile.ssid);
}

/** LastScan is in ms of CLOCK_BOOTTIME, and -1 before the first scan. */
function scanTime(lastScan: unknown, clock: () => number): number | null {
  const at = Number(lastScan ?? -1);
  return at < 0 ? null : Math.round(clock() - (uptime() * 1000 - at));
}
