import { activate } from './activation.ts';
import { type Manager, networkManagerUnavailable } from './manager.ts';
import { DEVICE, PROFILE } from './names.ts';
import { BusError } from './system-bus.ts';

/** Longest time the present connection may take to stand again. NetworkManager goes on with it beyond that. */
const LIMIT_SECONDS = 30;

/**
 * Whether the device still runs on its profile as it was tried, with autoconnect off, while it is stored with autoconnect
 * on. NetworkManager gives no secrets to a profile that was modified since it was activated: a rollback to it would leave
 * the robot without a network. (Its Reapply changes what a device runs on, but for autoconnect.)
 */
export async function isOutdated(manager: Manager, devicePath: string, profilePath: string): Promise<boolean> {
  try {
    const [inUse] = await manager.call(devicePath, DEVICE, 'GetAppliedConnection', 'u', [0]);
    const [stored] = await manager.call(profilePath, PROFILE, 'GetSettings');
    return autoconnects(inUse) !== autoconnects(stored);
  } catch (error) {
    if (error instanceof BusError) return false; // it may not be read, so it is none that this service has stored
    throw error;
  }
}

/**
 * Activates the stored profile on the device it is connected with, which takes the link down for some seconds, and waits
 * until it stands. A kill in the middle changes nothing: NetworkManager brings that connection up by itself.
 * @throws ServiceError `component_unavailable` when it does not stand in time.
 */
export async function renew(manager: Manager, devicePath: string, profilePath: string): Promise<void> {
  try {
    await activate(manager, { devicePath, profilePath, security: 'other', limitSeconds: LIMIT_SECONDS });
  } catch (error) {
    throw networkManagerUnavailable(
      'The present connection had to be set up anew before a change and does not stand yet, so nothing was changed. Try again when it does.',
      error,
    );
  }
}

/** On unless it is said otherwise. */
function autoconnects(settings: unknown): boolean {
  const { connection } = settings as { connection?: { autoconnect?: boolean } }; // as: a{sa{sv}}
  return connection?.autoconnect ?? true;
}
