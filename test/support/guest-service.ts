import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootGuest, type Guest } from './guest.ts';
import { startTestService, type TestService } from './service.ts';
import { temporaryFolder } from './world.ts';

/** A service on this machine whose units, journal and Wi-Fi are those of a guest. */
export class GuestService {
  readonly guest: Guest;
  /** The certificate of the guest's RADIUS server, under one path here and there. */
  readonly authority: string;
  readonly #home: string;
  #service: TestService;

  private constructor(guest: Guest, home: string, authority: string, service: TestService) {
    this.guest = guest;
    this.authority = authority;
    this.#home = home;
    this.#service = service;
  }

  static async boot(): Promise<GuestService> {
    const guest = await bootGuest();
    try {
      const home = temporaryFolder();
      // A certificate is named by its path, which has to be the same for this service and for NetworkManager.
      const authority = join(home, '.robot-rest', 'guest-ca.pem');
      mkdirSync(join(home, '.robot-rest'), { mode: 0o700 });
      writeFileSync(authority, guest.authority);
      await guest.put(authority, guest.authority);
      const service = await startTestService({ settings: settingsFor(guest, home) });
      return new GuestService(guest, home, authority, service);
    } catch (error) {
      await guest.stop();
      throw error;
    }
  }

  get service(): TestService {
    return this.#service;
  }

  get settings(): Record<string, string> {
    return settingsFor(this.guest, this.#home);
  }

  /** Starts the service again, which must have been stopped. */
  async restart(): Promise<void> {
    this.#service = await startTestService({ settings: this.settings });
  }

  async stop(): Promise<void> {
    await this.#service.stop();
    await this.guest.stop();
  }
}

function settingsFor(guest: Guest, home: string): Record<string, string> {
  return {
    HOME: home,
    SERVICE_MODE: 'robot',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_ALLOWED_UNITS: 'base=ssh.service,ap-*.service,lab-*.service',
    ...guest.settings,
  };
}
