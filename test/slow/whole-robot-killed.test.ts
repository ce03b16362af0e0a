import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { Random } from '../support/random.ts';
import { RobotHome } from '../support/robot-home.ts';
import { type Started, sourcePath, startModule } from '../support/run-source.ts';
import { temporaryFolder } from '../support/world.ts';

const KILLS = 100;
/** As long as an archive is taken in on a quick machine. */
const LONGEST_WAIT_MS = 300;
const FILES = 8;
const ROWS = 30;
const random = new Random(20_261_123);

/** In memory where that can be: a kill leaves what was written, and a hundred restores sync thousands of files. */
const home = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/robot-rest-') : temporaryFolder();
const dataDir = join(home, '.robot-rest');
const [one, other] = [join(home, 'one.tar.gz'), join(home, 'other.tar.gz')];

/** Packs a robot whose every file and row says who it is. */
async function packRobot(name: string, archive: string): Promise<void> {
  const robot = new RobotHome('robot-1', {
    SERVICE_MODE: 'robot',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_ROBOT_URL: 'sim:',
  });
  mkdirSync(join(robot.dataDir, 'skills', 'lib'), { recursive: true });
  mkdirSync(join(robot.dataDir, 'description'));
  for (let index = 0; index < FILES; index++) {
    writeFileSync(join(robot.dataDir, 'skills', 'lib', `${name}_${index}.py`), `${name}\n`.repeat(1_000));
    writeFileSync(join(robot.dataDir, 'description', `${name}_${index}.stl`), name.repeat(10_000));
  }
  for (const file of ['llm_config.yaml', 'rosbridge.yaml']) writeFileSync(join(robot.dataDir, file), `name: ${name}\n`);
  await robot.start();
  for (let row = 0; row < ROWS; row++) await robot.add('robots_table', { name });
  writeFileSync(archive, (await robot.pack()).bytes);
  await robot.stop();
}

/** Starts as the service does, says which robot it is, and then restores the two in turn, for ever. */
const program = `
  import { createReadStream, readdirSync, readFileSync, writeSync } from 'node:fs';
  import { database, databaseFiles } from '${sourcePath('functions/database/ports.ts')}';
  import { loadConfig } from '${sourcePath('functions/shared/config.ts')}';
  import { createLogger } from '${sourcePath('functions/shared/observability/logger.ts')}';
  import { give, Ports } from '${sourcePath('functions/shared/port.ts')}';
  import { endRestore, resumeRestore } from '${sourcePath('functions/system/backup/adapters/resume.ts')}';
  import { robotArchives, robotDatabase } from '${sourcePath('functions/system/backup/ports.ts')}';
  const { config } = loadConfig(process.env);
  const logger = createLogger('silent');
  const tell = (...words) => writeSync(1, words.join(' ') + '\\n');
  await resumeRestore(config, logger);
  const ports = new Ports({ config, logger, given: [give(robotDatabase, () => ports.get(databaseFiles))] });
  const opened = await ports.get(database);
  if (opened.problem()) throw new Error(opened.problem());
  endRestore(config);
  const { body } = await opened.readRows('robots_table', {}, { signal: new AbortController().signal, owner: 'test' });
  const rows = JSON.parse((await body.toArray()).join(''));
  const found = new Set(rows.map(({ name }) => name));
  let files = 0;
  for (const folder of ['skills/lib', 'description']) {
    for (const file of readdirSync(config.SERVICE_DATA_DIR + '/' + folder)) {
      files += 1;
      found.add(file.split('_')[0]);
      found.add(/^(one|other)/.exec(readFileSync(config.SERVICE_DATA_DIR + '/' + folder + '/' + file, 'utf8'))?.[0]);
    }
  }
  for (const file of ['llm_config.yaml', 'rosbridge.yaml']) {
    found.add(readFileSync(config.SERVICE_DATA_DIR + '/' + file, 'utf8').slice(6, -1));
  }
  const left = readdirSync(config.SERVICE_DATA_DIR).filter((name) => name.startsWith('.restore-'));
  tell('is', JSON.stringify({ rows: rows.length, files, left, found: [...found] }));
  const archives = await ports.get(robotArchives);
  const options = { dryRun: false, adopt: false, signal: new AbortController().signal };
  for (let turn = Number(process.env.TURN); ; turn++) {
    const archive = turn % 2 === 0 ? 'one' : 'other';
    tell('begin', archive);
    await archives.restore(createReadStream(process.env.ARCHIVES + '/' + archive + '.tar.gz'), options);
    tell('done', archive);
  }`;

const start = (turn: number): Started =>
  startModule(program, {
    HOME: home,
    SERVICE_MODE: 'robot',
    SERVICE_ROBOT_ID: 'robot-1',
    ARCHIVES: home,
    TURN: String(turn),
  });

interface Found {
  readonly rows: number;
  readonly files: number;
  readonly left: readonly string[];
  /** Whose rows and files there are. */
  readonly found: readonly string[];
}

/** What a process says that it has found at its start, once it has begun the next restore. */
async function foundBy(process: Started): Promise<Found> {
  let failed: string | undefined;
  void process.ended.then(({ stderr }) => {
    failed = stderr;
  });
  await until('a restore begins', () => process.stdout().includes('begin') || failed !== undefined);
  expect(failed).toBeUndefined();
  return JSON.parse(/^is (.*)$/m.exec(process.stdout())?.[1] ?? '');
}

const keptArchives = () => readdirSync(join(dataDir, 'archives')).filter((name) => name.startsWith('robot-'));

/** A random moment soon after what was there has been kept, which is when the parts are swapped. */
async function aroundSwap(process: Started, latestMs: number): Promise<void> {
  const before = keptArchives().sort().at(-1);
  while (keptArchives().sort().at(-1) === before && !hasEnded(process)) await pause(1);
  await pause(random.below(latestMs));
}

const hasEnded = ({ child }: Started): boolean => child.exitCode !== null || child.signalCode !== null;

beforeAll(async () => {
  for (const folder of ['skills/lib', 'description']) mkdirSync(join(dataDir, folder), { recursive: true });
  for (const file of ['llm_config.yaml', 'rosbridge.yaml']) writeFileSync(join(dataDir, file), 'name: none\n');
  await packRobot('one', one);
  await packRobot('other', other);
});

const processes: Started[] = [];
afterAll(() => {
  for (const { child } of processes) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

it('is the old robot or the new one, whenever it is killed during a restore', async () => {
  let before = 'one';
  const outcomes = { old: 0, new: 0 };
  processes.push(start(0));
  await until('the first robot is there', () => processes[0]?.stdout().includes('done one') ?? false);
  processes[0]?.child.kill('SIGKILL');
  let begun = 'other';
  // When the swap takes place after what was there is kept: machines differ, so it is found by coming nearer from both sides.
  let latestMs = 50;
  let kind: 'random' | 'in time' | 'late' = 'random';
  for (let kill = 0; kill < KILLS; kill++) {
    const process = start(kill);
    processes.push(process);
    const { found, ...others } = await foundBy(process);
    expect(others).toEqual({ rows: ROWS, files: 2 * FILES, left: [] });
    expect(found).toHaveLength(1);
    expect([before, begun]).toContain(found[0]);
    const outcome = found[0] === before ? 'old' : 'new';
    outcomes[outcome] += 1;
    if (kind === 'in time' && outcome === 'old') latestMs = Math.min(2 * latestMs, LONGEST_WAIT_MS);
    if (kind === 'late') latestMs = Math.max(0.5 * latestMs, 2);
    kind = kill % 2 === 0 ? 'random' : 'in time';
    const aimedAt = process.stdout().split('begin').length - 1;
    if (kind === 'random') await pause(random.below(LONGEST_WAIT_MS));
    else await aroundSwap(process, latestMs);
    process.child.kill('SIGKILL');
    const { stdout } = await process.ended;
    if (kind === 'in time' && stdout.split('done').length > aimedAt) kind = 'late';
    const told = [...stdout.matchAll(/^(begin|done) (\w+)$/gm)];
    before = told.filter(([, word]) => word === 'done').at(-1)?.[2] ?? found[0] ?? '';
    begun = told.at(-1)?.[2] ?? '';
  }
  expect(outcomes.old).toBeGreaterThan(0);
  expect(outcomes.new).toBeGreaterThan(0);
});
