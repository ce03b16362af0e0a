import { BusError } from '../../../../shared/kit/system-bus.ts';
import { activate } from './activation.ts';
import { type Manager, networkManagerUnavailable } from './manager.ts';
import { DEVICE, PROFILE } from './names.ts';

/** How long to wait for the current connection to come back. NetworkManager keeps trying after that. */
const LIMIT_SECONDS = 30;

/**
 * Whether the device still runs on the trial version of its profile (autoconnect off) while the stored version has
 * autoconnect on. NetworkManager gives no secrets to a profile that was modified since its activation, so a rollback to
 * it would leave the robot without a network. (Reapply updates everything on the device except autoconnect.)
 */
export async function isOutdated(manager: Manager, devicePath: string, profilePath: string): Promise<boolean> {
  try {
    const [inUse] = await manager.call(devicePath, DEVICE, 'GetAppliedConnection', 'u', [0]);
    const [stored] = await manager.call(profilePath, PROFILE, 'GetSettings');
    return autoconnects(inUse) !== autoconnects(stored);
  } catch (error) {
    if (error instanceof BusError) return false; // unreadable, so it was not stored by this service
    throw error;
  }
}

/**
 * Activates the stored version of the current profile, which interrupts the link for a few seconds, and waits until it
 * is connected. A crash in between does no harm: NetworkManager completes the activation by itself.
 * @throws ServiceError `component_unavailable` if it does not connect in time.
 */
export async function renew(manager: Manager, devicePath: string, profilePath: string): Promise<void> {
  try {
    await activate(manager, { devicePath, profilePath, security: 'other', limitSeconds: LIMIT_SECONDS });
  } catch (error) {
    throw networkManagerUnavailable(
      'The current connection had to be re-established before the change and is not up yet. Nothing was changed. Try again when it is.',
      error,
    );
  }
}

/** Autoconnect is on by default. */
function autoconnects(settings: unknown): boolean {
  const { connection } = settings as { connection?: { autoconnect?: boolean } }; // as: a{sa{sv}}
  return connection?.autoconnect ?? true;
}
