import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { TABLES } from '../../functions/database/tables.ts';
import type { HttpAnswer } from './http.ts';
import { digestsBelow } from './robot-archive.ts';
import { startTestService, type TestService } from './service.ts';
import { temporaryFolder } from './world.ts';
import { upload } from './writers.ts';

const ENCHANTER = 'ENCHANTER';
const RESTORE = '/api/v2/backup/restore';

/** A robot of its own: its folder, its service, and everything that makes it this robot. */
export class RobotHome {
  readonly home: string;
  readonly dataDir: string;
  readonly skillsDir: string;
  readonly #settings: Record<string, string>;
  #service: TestService | undefined;

  /** Paths among the settings are below the data folder. */
  constructor(
    robotId: string,
    { SERVICE_SKILLS_DIR = 'skills', ...settings }: Record<string, string> = {},
    home = temporaryFolder(),
  ) {
    this.home = home;
    this.dataDir = join(home, '.robot-rest');
    this.skillsDir = resolve(this.dataDir, SERVICE_SKILLS_DIR);
    this.#settings = { SERVICE_ROBOT_ID: robotId, SERVICE_SKILLS_DIR: this.skillsDir, ...settings };
  }

  get service(): TestService {
    if (!this.#service) throw new Error('the robot was not started');
    return this.#service;
  }

  async start(): Promise<void> {
    this.#service = await startTestService({ settings: { HOME: this.home, ...this.#settings } });
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  pack(): Promise<HttpAnswer> {
    return this.service.as(ENCHANTER, '/api/v2/backup/', { method: 'POST' });
  }

  restore(archive: Buffer, query = ''): Promise<HttpAnswer> {
    const headers = { 'content-type': 'application/gzip' };
    return this.service.as(ENCHANTER, RESTORE + query, { method: 'POST', body: archive, headers });
  }

  restoreKept(name: string): Promise<HttpAnswer> {
    return this.service.as(ENCHANTER, RESTORE, { method: 'POST', body: { name } });
  }

  /** @returns the row. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of any table
  async add(tablename: string, item: object): Promise<any> {
    const call = { method: 'POST', body: { tablename, item } };
    return (await this.service.as('USER', '/api/v2/database/add_item/', call)).json;
  }

  /** Uploads a skill. @throws if it is refused. */
  async upload(stem: string, text: string): Promise<void> {
    const { status, text: answer } = await upload(this.service.as, `${stem}.py`, text);
    if (status !== 200) throw new Error(answer);
  }

  /** Everything that a restore replaces: rows of every table, and the digest of every file. */
  state() {
    const database = new Database(join(this.dataDir, 'robot.sqlite'), { readonly: true });
    const tables = Object.fromEntries(
      TABLES.map(({ name }) => [name, database.prepare(`select * from ${name} order by id`).all()]),
    );
    database.close();
    const { 'llm_config.yaml': languageModel, 'rosbridge.yaml': mapping } = digestsOf(this.dataDir);
    return {
      tables,
      skills: digestsBelow(this.skillsDir),
      description: digestsBelow(join(this.dataDir, 'description')),
      languageModel,
      mapping,
    };
  }

  /** What a restore must not leave behind. */
  leftovers(): string[] {
    const folders = [this.dataDir, dirname(this.skillsDir), join(this.dataDir, 'archives')];
    return folders
      .flatMap((folder) => readdirSync(folder))
      .filter((name) => /^(\.restore-|unfinished-|restore)/.test(name));
  }
}

function digestsOf(folder: string): Record<string, string | undefined> {
  const files = readdirSync(folder).filter((name) => lstatSync(join(folder, name)).isFile());
  const digests = digestsBelow(folder);
  return Object.fromEntries(files.map((name) => [name, digests[name]]));
}
