import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../../shared/errors.ts';
import { BusError } from '../../../../shared/kit/system-bus.ts';
import type { Logger } from '../../../../shared/observability/logger.ts';
import type { Security } from '../../port.ts';
import { activate } from './activation.ts';
import { createCheckpoint, destroyCheckpoint, rollbackCheckpoint } from './checkpoint.ts';
import type { Device } from './device.ts';
import { explain, type Manager } from './manager.ts';
import { DEVICE, NM, NO_OBJECT, PROFILE, PROFILE_FLAG, PROFILES, ROOT, SETTINGS, STATE } from './names.ts';
import { type StoredProfile, wifiProfiles } from './profiles.ts';
import { isOutdated, renew } from './renewal.ts';
import type { ProfileFrame, Sections } from './settings.ts';

/** Builds the settings of a new profile. */
type MakeSettings = (frame: ProfileFrame) => Sections;

/** How long the previous connection may take to be restored after a rollback. */
const RESTORE_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 250;

/**
 * One change of a device's connection, protected by a checkpoint. Until the new profile has proven to work it is only
 * kept in NetworkManager's memory, with autoconnect off, so that even a power cut cannot leave an untested one on disk.
 */
export class DeviceAttempt {
  readonly #manager: Manager;
  readonly #device: Device;
  readonly #checkpoint: string;
  readonly #previous: string;
  readonly #logger: Logger;
  readonly #uuid = randomUUID();
  #profilePath: string | undefined;

  private constructor(manager: Manager, device: Device, checkpoint: string, previous: string, logger: Logger) {
    this.#manager = manager;
    this.#device = device;
    this.#checkpoint = checkpoint;
    this.#previous = previous;
    this.#logger = logger;
  }

  /** @throws ServiceError as {@link createCheckpoint} and {@link renew}. */
  static async begin(
    manager: Manager,
    device: Device,
    rollbackSeconds: number,
    logger: Logger,
  ): Promise<DeviceAttempt> {
    const previous = await connectedProfile(manager, device.path);
    const create = () => createCheckpoint(manager, device.path, rollbackSeconds);
    if (previous !== NO_OBJECT && (await isOutdated(manager, device.path, previous))) {
      await destroyCheckpoint(manager, await create()); // if checkpoints do not work, the link is left alone
      await renew(manager, device.path, previous);
    }
    const checkpoint = await create();
    return new DeviceAttempt(manager, device, checkpoint, previous, logger);
  }

  /**
   * Adds the profile and activates it.
   * @throws as {@link activate}; `validation_failed` for settings NetworkManager rejects.
   */
  async join(settings: MakeSettings, security: Security, limitSeconds: number): Promise<void> {
    const body = [settings({ uuid: this.#uuid, autoconnect: false }), PROFILE_FLAG.inMemory, {}];
    try {
      const [path] = await this.#manager.call(SETTINGS, PROFILES, 'AddConnection2', 'a{sa{sv}}ua{sv}', body, true);
      this.#profilePath = String(path);
    } catch (error) {
      throw settingsError(error);
    }
    await activate(this.#manager, {
      devicePath: this.#device.path,
      profilePath: this.#profilePath,
      security,
      limitSeconds,
    });
  }

  /**
   * Stores the profile with autoconnect on, destroys the checkpoint, and removes the profiles it replaces. In this
   * order, a crash at any point leaves one working connection: before the checkpoint is destroyed, NetworkManager
   * reverts to the previous connection and deletes the new profile, stored or not; afterwards the new one is connected,
   * stored and found again after a restart, at worst next to an older profile of the same name.
   */
  async keep(settings: MakeSettings, replaces: (profile: StoredProfile) => boolean): Promise<void> {
    const path = this.#profilePath ?? NO_OBJECT;
    const body = [settings({ uuid: this.#uuid, autoconnect: true }), PROFILE_FLAG.toDisk, {}];
    await this.#manager.call(path, PROFILE, 'Update2', 'a{sa{sv}}ua{sv}', body, true);
    await destroyCheckpoint(this.#manager, this.#checkpoint);
    try {
      const old = (await wifiProfiles(this.#manager)).filter(
        (profile) => profile.uuid !== this.#uuid && replaces(profile),
      );
      for (const profile of old) await this.#manager.call(profile.path, PROFILE, 'Delete');
    } catch (error) {
      this.#logger.warn({ err: error }, 'could not remove an older profile of the joined network');
    }
  }

  /**
   * Activates the previous profile if the rollback left the device without any, which happens if that profile was
   * modified.
   */
  async #activatePrevious(): Promise<boolean> {
    const { State } = await this.#manager.properties(this.#device.path, DEVICE);
    if (State !== STATE.disconnected) return false;
    await this.#manager.call(ROOT, NM, 'ActivateConnection', 'ooo', [this.#previous, this.#device.path, NO_OBJECT]);
    return true;
  }

  /** Rolls back, and waits until the previous profile is connected again. */
  async undo(): Promise<boolean> {
    try {
      await rollbackCheckpoint(this.#manager, this.#checkpoint);
      if (this.#previous === NO_OBJECT) return true;
      const end = performance.now() + RESTORE_TIMEOUT_MS;
      let activated = false;
      while ((await connectedProfile(this.#manager, this.#device.path)) !== this.#previous) {
        if (performance.now() > end) return false;
        await sleep(POLL_INTERVAL_MS);
        if (!activated) activated = await this.#activatePrevious();
      }
      return true;
    } catch (error) {
      this.#logger.error(
        { err: error },
        'the Wi-Fi rollback failed; the checkpoint will restore the connection when it expires',
      );
      return false;
    }
  }
}

/** The profile that the device is connected with, or NO_OBJECT. */
async function connectedProfile(manager: Manager, devicePath: string): Promise<string> {
  const { State, ActiveConnection } = await manager.properties(devicePath, DEVICE);
  if (State !== STATE.activated || ActiveConnection === NO_OBJECT) return NO_OBJECT;
  const { Connection } = await manager
    .properties(String(ActiveConnection), 'org.freedesktop.NetworkManager.Connection.Active')
    .catch(() => ({ Connection: NO_OBJECT }));
  return String(Connection);
}

const INVALID_SETTINGS =
  /\.(InvalidProperty|MissingProperty|InvalidSetting|MissingSetting|InvalidConnection|PropertyTypeMismatch)$/;

/** An error of NetworkManager's own validation, with the name of the setting but never its value. */
function settingsError(error: unknown): unknown {
  if (!(error instanceof BusError) || !INVALID_SETTINGS.test(error.reason)) return explain(error);
  const subject = error.text === '' ? 'these settings' : `the setting ${error.text}`;
  return new ServiceError('validation_failed', { detail: `NetworkManager rejected ${subject}.`, cause: error });
}
