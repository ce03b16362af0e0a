import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpAnswer } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { sha256 } from '../support/robot-archive.ts';
import { RobotHome } from '../support/robot-home.ts';
import { upload } from '../support/writers.ts';

/** Everything that a restore replaces, with the rounds that the language model is at. */
type State = ReturnType<RobotHome['state']> & { readonly rounds: readonly number[] };

interface Write {
  readonly sent: Promise<HttpAnswer>;
  /** Whether a robot is as this write leaves it, or a later one of the same client. */
  readonly isIn: (state: State) => boolean;
}

const CLIENTS_OF_A_KIND = 10;
/** What there is to be removed: more than a client comes to. */
const REMOVABLE = 100;
/** Between two writes of a client, in ms: what is under test has a share of this machine as well. */
const PAUSE_MS = 20;
/** Takes a second or more to be kept, in which all others wait. */
const BIG = Buffer.alloc(32 * 1024 * 1024, 'v 0.125 0.25 0.5\n');
const BYTES = { 'content-type': 'application/octet-stream' };
const meshOf = (name: string) => `# ${name}\n${'v 0.125 0.25 0.5\n'.repeat(100)}`;
const skillOf = (name: string) => `# ${name}\n${'x = 1\n'.repeat(100)}`;

const robot = new RobotHome('robot-1', { SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1', SERVICE_ROBOT_URL: 'sim:' });
const skills = join(robot.dataDir, 'skills');
const description = join(robot.dataDir, 'description');
const languageModel = join(robot.dataDir, 'llm_config.yaml');
let archive: Buffer;

beforeAll(async () => {
  for (const folder of [skills, description]) mkdirSync(folder, { recursive: true });
  for (let client = 0; client < CLIENTS_OF_A_KIND; client++) {
    for (let round = 0; round < REMOVABLE; round++) {
      const name = `old_${client}_${round}`;
      if (isOfSkills(client)) writeFileSync(join(skills, `${name}.py`), skillOf(name));
      else writeFileSync(join(description, `${name}.obj`), meshOf(name));
    }
  }
  writeFileSync(join(description, 'big.obj'), BIG);
  const keys = Array.from({ length: CLIENTS_OF_A_KIND }, (_, client) => `key_${client}: round -1\n`);
  writeFileSync(languageModel, keys.join(''));
  await robot.start();
  archive = (await robot.pack()).bytes;
});
afterAll(() => robot.stop());

const isOfSkills = (client: number) => client % 2 === 0;

const send = (path: string, method: string, body?: unknown, headers: Record<string, string> = {}) =>
  robot.service.as('ENCHANTER', `/api/v2/${path}`, { method, body, headers });

function state(): State {
  const rounds = [...readFileSync(languageModel, 'utf8').matchAll(/^key_\d+: round (-?\d+)$/gm)];
  return { ...robot.state(), rounds: rounds.map(([, round]) => Number(round)) };
}

const KINDS: Readonly<Record<string, (client: number, round: number) => Write>> = {
  'a row'(client, round) {
    const name = `row-${client}-${round}`;
    return {
      sent: send('database/add_item/', 'POST', { tablename: 'robots_table', item: { name } }),
      isIn: ({ tables }) => tables.robots_table?.some((row) => (row as { name: string }).name === name) ?? false, // as: its columns
    };
  },
  'a skill'(client, round) {
    const name = `skill_${client}_${round}`;
    return {
      sent: upload(robot.service.as, `${name}.py`, skillOf(name)),
      isIn: ({ skills }) => skills[`${name}.py`] === sha256(skillOf(name)),
    };
  },
  'a mesh'(client, round) {
    const name = `mesh_${client}_${round}`;
    return {
      sent: send(`meshes/${name}.obj`, 'PUT', meshOf(name), BYTES),
      isIn: ({ description }) => description[`${name}.obj`] === sha256(meshOf(name)),
    };
  },
  'a change of the language model'(client, round) {
    return {
      sent: send('llm_config/', 'PATCH', { command: `key_${client}`, value: `round ${round}` }),
      isIn: ({ rounds }) => (rounds[client] ?? -1) >= round,
    };
  },
  'a removal'(client, round) {
    const name = `old_${client}_${round}`;
    return isOfSkills(client)
      ? {
          sent: send(`skill/remove/?skill_name=${name}`, 'DELETE'),
          isIn: ({ skills }) => skills[`${name}.py`] === undefined,
        }
      : {
          sent: send(`meshes/${name}.obj`, 'DELETE'),
          isIn: ({ description }) => description[`${name}.obj`] === undefined,
        };
  },
};

const KIND_COUNT = Object.keys(KINDS).length;

/** What has become of one write. */
interface Written extends Pick<Write, 'isIn'> {
  readonly kind: string;
  readonly client: number;
  readonly round: number;
  /** Empty for one that was answered with success. */
  readonly refusal: string;
}

describe('A restore of the whole robot', () => {
  it('loses and halves no change of any part that was answered with success, while 50 clients make them', async () => {
    const written: Written[] = [];
    let over = false;
    let status: number | undefined;
    let json: HttpAnswer['json'];
    const change = async (kind: string, write: (client: number, round: number) => Write, client: number) => {
      for (let round = 0; !over && round < REMOVABLE; round++) {
        const { sent, isIn } = write(client, round);
        const { status, json } = await sent;
        written.push({ kind, client, round, isIn, refusal: status === 200 ? '' : `${status} ${json.code}` });
        await pause(PAUSE_MS);
      }
    };
    const clients = Object.entries(KINDS).flatMap(([kind, write]) =>
      Array.from({ length: CLIENTS_OF_A_KIND }, (_, client) => change(kind, write, client)),
    );
    try {
      await until('every kind is written', () => new Set(written.map(({ kind }) => kind)).size === KIND_COUNT);
      ({ status, json } = await robot.restore(archive));
      const before = written.length;
      await until('writes go on', () => written.length > before + clients.length);
    } finally {
      over = true;
      await Promise.all(clients);
    }
    expect([status, json.restored]).toEqual([200, ['database', 'skills', 'language_model', 'description']]);

    const after = state();
    expect((await robot.restoreKept(json.backup)).status).toBe(200);
    const kept = state();
    const outcome = ({ kind, client, round, refusal }: Written) => `${kind} ${client}-${round} ${refusal}`;
    const done = written.filter(({ refusal }) => refusal === '');
    expect(done.filter(({ isIn }) => !isIn(after) && !isIn(kept)).map(outcome)).toEqual([]);
    for (const kind of Object.keys(KINDS)) {
      expect([kind, done.some((one) => one.kind === kind && one.isIn(kept))]).toEqual([kind, true]);
    }
    const refused = written.filter(({ refusal }) => refusal !== '');
    process.stdout.write(`${done.length} writes, ${refused.length} refused\n`);
    expect(refused.filter(({ refusal }) => refusal !== '409 busy').map(outcome)).toEqual([]);
    const isReplaced = ({ kind }: Written) => kind === 'a removal' || kind.includes('language');
    expect(refused.filter((one) => !isReplaced(one) && (one.isIn(after) || one.isIn(kept))).map(outcome)).toEqual([]);
    expect(robot.leftovers()).toEqual([]);
  });
});
