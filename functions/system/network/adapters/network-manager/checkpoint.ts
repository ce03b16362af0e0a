import { ServiceError } from '../../../../shared/errors.ts';
import { BusError } from '../../../../shared/kit/system-bus.ts';
import { type Manager, networkManagerUnavailable } from './manager.ts';
import { DELETE_NEW_CONNECTIONS, NM, ROOT } from './names.ts';

/**
 * Makes NetworkManager save the state of this device and revert to it after `rollbackSeconds`, deleting new profiles,
 * unless the checkpoint is destroyed first. The checkpoint is kept by NetworkManager, so it survives this process.
 * @returns the checkpoint's object path.
 * @throws ServiceError `busy` while another checkpoint covers the device; `component_unavailable` if checkpoints are
 * not supported.
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
        detail: 'A previous change to this connection is still being undone. Try again in a minute.',
        headers: { 'retry-after': String(rollbackSeconds) },
        cause: error,
      });
    }
    if (/\.(UnknownMethod|UnknownInterface|NotSupported)$/.test(error.reason)) {
      throw networkManagerUnavailable(
        'This version has no checkpoints, without which a wrong password could cut the robot off for good. Nothing was changed. Install version 1.20 or newer.',
        error,
      );
    }
    throw error;
  }
}

/** Makes the change permanent. */
export async function destroyCheckpoint(manager: Manager, path: string): Promise<void> {
  await manager.call(ROOT, NM, 'CheckpointDestroy', 'o', [path]);
}

/** Starts reverting to the saved state immediately. NetworkManager does not wait for the outcome. */
export async function rollbackCheckpoint(manager: Manager, path: string): Promise<void> {
  await manager.call(ROOT, NM, 'CheckpointRollback', 'o', [path]);
}
