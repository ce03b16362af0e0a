import { afterEach, beforeEach } from '@jest/globals';
import { startTestService, type TestService } from './service.ts';
import { temporaryFolder } from './world.ts';

/** Services on one home folder and one clock, fresh in every test; all are stopped after it. */
export class ServiceHome {
  folder = '';
  /** The time of the services, in ms since the epoch. */
  now = 0;
  #running: TestService[] = [];

  constructor() {
    beforeEach(() => {
      this.folder = temporaryFolder();
      this.now = Date.now();
    });
    afterEach(() => this.stopAll());
  }

  async start(settings: Record<string, string> = {}): Promise<TestService> {
    const service = await startTestService({ settings: { HOME: this.folder, ...settings }, clock: () => this.now });
    this.#running.push(service);
    return service;
  }

  async stop(service: TestService): Promise<void> {
    this.#running = this.#running.filter((other) => other !== service);
    await service.stop();
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((service) => service.stop()));
  }

  async restart(settings: Record<string, string> = {}): Promise<TestService> {
    await this.stopAll();
    return this.start(settings);
  }
}
