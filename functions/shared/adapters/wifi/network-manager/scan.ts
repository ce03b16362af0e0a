import { setTimeout as sleep } from 'node:timers/promises';
import type { Device } from './device.ts';
import { type Manager, networkManagerUnavailable } from './manager.ts';
import { WIRELESS } from './names.ts';
import { BusError } from './system-bus.ts';

const SCAN_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 200;

/**
 * Lets the device listen anew and waits until the list has moved on. One that is refused because another just ran, or
 * because the device is about to connect, leaves the present list, whose time tells its age.
 * @throws ServiceError `component_unavailable` when it fails, or has not ended within 20 s.
 */
export async function scan(manager: Manager, device: Device): Promise<void> {
  const before = await lastScan(manager, device);
  try {
    await manager.call(device.path, WIRELESS, 'RequestScan', 'a{sv}', [{}]);
  } catch (error) {
    if (error instanceof BusError && error.reason.endsWith('.NotAllowed') && before >= 0) return;
    throw error;
  }
  const end = performance.now() + SCAN_LIMIT_MS;
  while ((await lastScan(manager, device)) === before) {
    if (performance.now() > end) {
      throw networkManagerUnavailable(
        `The scan of ${device.interfaceName} does not end. Try again, or look at its log.`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

async function lastScan(manager: Manager, device: Device): Promise<number> {
  const { LastScan } = await manager.properties(device.path, WIRELESS);
  return Number(LastScan ?? -1);
}
