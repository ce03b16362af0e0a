import { ServiceError } from '../../../errors.ts';
import { type Manager, networkManagerUnavailable } from './manager.ts';
import { DELETE_NEW_CONNECTIONS, NM, ROOT } from './names.ts';
import { BusError } from './system-bus.ts';

/**
 * Lets NetworkManager remember the state of this device and return to it by itself after `rollbackSeconds`, new profiles
 * deleted, unless the checkpoint is destroyed before. It lives in NetworkManager and so outlives this process.
 * @returns the checkpoint's object path.
 * @throws ServiceError `busy` while another checkpoint covers the device; `component_unavailable` when there are no checkpoints.
 */
export async function createCheckpoint(manager: Manager, devicePath: string, rollbackSeconds: number): Promise<string> {
  const body = [[devicePath], rollbackSeconds, DELETE_NEW_CONNECTIONS];
  try {
    const [path] = await manager.call(ROOT, NM, 'CheckpointCreate', 'aouu', body);
    return String(path);
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    if (error.reason === `${NM}.InvalidArguments`) {
      throw new ServiceError('busy', {
        detail: 'An earlier change of this connection is still being undone. Try again in a minute.',
        headers: { 'retry-after': String(rollbackSeconds) },
        cause: error,
      });
    }
    if (/\.(UnknownMethod|UnknownInterface|NotSupported)$/.test(error.reason)) {
      throw networkManagerUnavailable(
        'This version has no checkpoints, without which a wrong password could cut the robot off for good; nothing was changed. Install 1.20 or newer.',
        error,
      );
    }
    throw error;
  }
}

/** The change stays. */
export async function destroyCheckpoint(manager: Manager, path: string): Promise<void> {
  await manager.call(ROOT, NM, 'CheckpointDestroy', 'o', [path]);
}

/** Back to what was before, at once. NetworkManager starts it and does not wait for the outcome. */
export async function rollbackCheckpoint(manager: Manager, path: string): Promise<void> {
  await manager.call(ROOT, NM, 'CheckpointRollback', 'o', [path]);
}
