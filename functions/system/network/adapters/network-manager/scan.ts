import { setTimeout as sleep } from 'node:timers/promises';
import { BusError } from '../../../../shared/kit/system-bus.ts';
import type { Device } from './device.ts';
import { type Manager, networkManagerUnavailable } from './manager.ts';
import { WIRELESS } from './names.ts';

const SCAN_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 200;

/**
 * Scans for networks and waits until the list has been updated. If NetworkManager refuses because another scan has just
 * run or the device is connecting, the existing list stays, and its timestamp shows its age.
 * @throws ServiceError `component_unavailable` if the scan fails or takes longer than 20 s.
 */
export async function scan(manager: Manager, device: Device): Promise<void> {
  const before = await lastScan(manager, device);
  try {
    await manager.call(device.path, WIRELESS, 'RequestScan', 'a{sv}', [{}]);
  } catch (error) {
    if (error instanceof BusError && error.reason.endsWith('.NotAllowed') && before >= 0) return;
    throw error;
  }
  const end = performance.now() + SCAN_TIMEOUT_MS;
  while ((await lastScan(manager, device)) === before) {
    if (performance.now() > end) {
      throw networkManagerUnavailable(
        `The scan on ${device.interfaceName} did not finish. Try again, or check its log.`,
      );
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

async function lastScan(manager: Manager, device: Device): Promise<number> {
  const { LastScan } = await manager.properties(device.path, WIRELESS);
  return Number(LastScan ?? -1);
}
