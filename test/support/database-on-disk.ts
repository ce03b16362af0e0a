import { statfsSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { startTestService, type TestService } from './service.ts';
import type { SmallDisk } from './small-disk.ts';

export const MIB = 1024 ** 2;
export const TABLE = 'customized_prompts_table';
export const PROMPT = 'x'.repeat(900_000);

/** A service on a disk of its own, as its users see it. */
export class DatabaseOnDisk {
  readonly disk: SmallDisk;
  readonly data: string;
  #service: TestService | undefined;
  readonly #settings: Record<string, string>;

  constructor(disk: SmallDisk, reserve?: number) {
    this.disk = disk;
    this.data = join(disk.folder, 'data');
    this.#settings = {
      SERVICE_DATA_DIR: this.data,
      ...(reserve === undefined ? {} : { SERVICE_MIN_FREE: String(reserve) }),
    };
  }

  get service(): TestService {
    if (!this.#service) throw new Error('it has not been started');
    return this.#service;
  }

  async start(): Promise<this> {
    this.#service = await startTestService({ settings: this.#settings });
    return this;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  free(): number {
    const { bavail, bsize } = statfsSync(this.disk.folder);
    return bavail * bsize;
  }

  databaseStats() {
    return statSync(join(this.data, 'robot.sqlite'));
  }

  indexBytes(): number {
    return statSync(join(this.data, 'robot.sqlite-shm')).size;
  }

  logBytes(): number {
    return statSync(join(this.data, 'robot.sqlite-wal')).size;
  }

  call(method: string, path: string, body?: unknown) {
    return this.service.as('USER', `/api/v2/database/${path}`, { method, ...(body === undefined ? {} : { body }) });
  }

  async add(prompt = PROMPT): Promise<number> {
    return (await this.call('POST', 'add_item/', { tablename: TABLE, item: { prompt } })).status;
  }

  async remove(id: number): Promise<number> {
    return (await this.call('DELETE', 'delete_item/', { tablename: TABLE, item: { id } })).status;
  }

  /** Adds large rows until one is refused. @returns how many were not. */
  async addUntilRefused(): Promise<number> {
    for (let added = 0; ; added += 1) {
      const status = await this.add();
      if (status !== 200) {
        expect(status).toBe(507);
        return added;
      }
    }
  }

  async expectDeletes(ids: readonly number[]): Promise<void> {
    for (const id of ids) expect([id, await this.remove(id)]).toEqual([id, 200]);
  }

  /** A client that begins to read the table, and then takes nothing more. */
  async readSlowly(): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${await this.service.token('USER')}` };
    const url = `${this.service.url}/api/v2/database/read/?tablename=${TABLE}`;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers }, resolve).on('error', reject);
    });
    answer.on('error', () => {}); // it is hung up on
    answer.once('readable', () => answer.read(1));
    return answer;
  }
}

export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
