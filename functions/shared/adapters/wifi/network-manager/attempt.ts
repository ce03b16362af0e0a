import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../errors.ts';
import type { Logger } from '../../../logger.ts';
import type { Security } from '../port.ts';
import { activate } from './activation.ts';
import { createCheckpoint, destroyCheckpoint, rollbackCheckpoint } from './checkpoint.ts';
import type { Device } from './device.ts';
import { explain, type Manager } from './manager.ts';
import { DEVICE, NM, NO_OBJECT, PROFILE, PROFILE_FLAG, PROFILES, ROOT, SETTINGS, STATE } from './names.ts';
import { type StoredProfile, wifiProfiles } from './profiles.ts';
import { isOutdated, renew } from './renewal.ts';
import type { ProfileFrame, Sections } from './settings.ts';
import { BusError } from './system-bus.ts';

/** Makes the settings of a new profile. */
export type MakeSettings = (frame: ProfileFrame) => Sections;

/** How long the former connection may take to stand again after a rollback. */
const RESTORE_LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 250;

/**
 * One change of a device's connection under a checkpoint. Until the new profile has proven itself it lives in
 * NetworkManager's memory, so that not even a power cut leaves an untried one on the disk, and has autoconnect off.
 */
export class DeviceAttempt {
  readonly #manager: Manager;
  readonly #device: Device;
  readonly #checkpoint: string;
  readonly #former: string;
  readonly #logger: Logger;
  readonly #uuid = randomUUID();
  #profilePath: string | undefined;

  private constructor(manager: Manager, device: Device, checkpoint: string, former: string, logger: Logger) {
    this.#manager = manager;
    this.#device = device;
    this.#checkpoint = checkpoint;
    this.#former = former;
    this.#logger = logger;
  }

  /** @throws ServiceError as {@link createCheckpoint} and {@link renew} tell. */
  static async begin(
    manager: Manager,
    device: Device,
    rollbackSeconds: number,
    logger: Logger,
  ): Promise<DeviceAttempt> {
    const former = await connectedProfile(manager, device.path);
    const take = () => createCheckpoint(manager, device.path, rollbackSeconds);
    if (former !== NO_OBJECT && (await isOutdated(manager, device.path, former))) {
      await destroyCheckpoint(manager, await take()); // where there can be none, the link is not touched
      await renew(manager, device.path, former);
    }
    const checkpoint = await take();
    return new DeviceAttempt(manager, device, checkpoint, former, logger);
  }

  /** Adds the profile and activates it. Throws as {@link activate}, and `validation_failed` for settings NetworkManager refuses. */
  async join(settings: MakeSettings, security: Security, limitSeconds: number): Promise<void> {
    const body = [settings({ uuid: this.#uuid, autoconnect: false }), PROFILE_FLAG.inMemory, {}];
    try {
      const [path] = await this.#manager.call(SETTINGS, PROFILES, 'AddConnection2', 'a{sa{sv}}ua{sv}', body, true);
      this.#profilePath = String(path);
    } catch (error) {
      throw refusedSettings(error);
    }
    await activate(this.#manager, {
      devicePath: this.#device.path,
      profilePath: this.#profilePath,
      security,
      limitSeconds,
    });
  }

  /**
   * Stores the profile, from now on with autoconnect, ends the checkpoint and removes the profiles it replaces. In this
   * order, so that a kill at any moment leaves one whole connection: before the checkpoint has ended NetworkManager goes
   * back to the former one and deletes the new profile, stored or not; afterwards the new one is connected, stored and
   * found again after a restart, at worst beside an older profile of its name.
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
      this.#logger.warn({ err: error }, 'an older profile of the network that was joined could not be removed');
    }
  }

  /** Activates the former profile when the rollback has left the device without any: someone may have modified that profile. */
  async #activateFormer(): Promise<boolean> {
    const { State } = await this.#manager.properties(this.#device.path, DEVICE);
    if (State !== STATE.disconnected) return false;
    await this.#manager.call(ROOT, NM, 'ActivateConnection', 'ooo', [this.#former, this.#device.path, NO_OBJECT]);
    return true;
  }

  /** Rolls back, and waits until the profile that was connected before is connected again. */
  async undo(): Promise<boolean> {
    try {
      await rollbackCheckpoint(this.#manager, this.#checkpoint);
      if (this.#former === NO_OBJECT) return true;
      const end = performance.now() + RESTORE_LIMIT_MS;
      let asked = false;
      while ((await connectedProfile(this.#manager, this.#device.path)) !== this.#former) {
        if (performance.now() > end) return false;
        await sleep(LOOK_EVERY_MS);
        if (!asked) asked = await this.#activateFormer();
      }
      return true;
    } catch (error) {
      this.#logger.error(
        { err: error },
        'the Wi-Fi rollback failed; the checkpoint restores the connection when its time is over',
      );
      return false;
    }
  }
}

/** The profile the device is connected with, or NO_OBJECT. */
async function connectedProfile(manager: Manager, devicePath: string): Promise<string> {
  const { State, ActiveConnection } = await manager.properties(devicePath, DEVICE);
  if (State !== STATE.activated || ActiveConnection === NO_OBJECT) return NO_OBJECT;
  const { Connection } = await manager
    .properties(String(ActiveConnection), 'org.freedesktop.NetworkManager.Connection.Active')
    .catch(() => ({ Connection: NO_OBJECT }));
  return String(Connection);
}

const REFUSED =
  /\.(InvalidProperty|MissingProperty|InvalidSetting|MissingSetting|InvalidConnection|PropertyTypeMismatch)$/;

/** NetworkManager's own validation, with the setting it minds and never its value. */
function refusedSettings(error: unknown): unknown {
  if (!(error instanceof BusError) || !REFUSED.test(error.reason)) return explain(error);
  const which = error.text === '' ? 'these settings' : `the setting ${error.text}`;
  return new ServiceError('validation_failed', { detail: `NetworkManager refused ${which}.`, cause: error });
}
