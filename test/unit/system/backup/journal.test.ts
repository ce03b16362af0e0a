import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { databaseFile } from '../../../../functions/shared/config.ts';
import { incomingPath } from '../../../../functions/shared/kit/files/incoming.ts';
import {
  back,
  begin,
  doAll,
  end,
  forward,
  journalOf,
  turnBack,
} from '../../../../functions/system/backup/adapters/journal.ts';
import { endRestore, resumeRestore } from '../../../../functions/system/backup/adapters/resume.ts';
import { silentLogger, temporaryFolder, testConfig } from '../../../support/world.ts';

/** A robot with old files, and their successors beside them. It has no mapping yet. */
function prepared() {
  const config = testConfig({ HOME: temporaryFolder() });
  const dataDir = config.SERVICE_DATA_DIR;
  mkdirSync(join(dataDir, 'archives'), { recursive: true });
  const write = (path: string, text: string) => {
    writeFileSync(path, text);
    return path;
  };
  const folder = (path: string, file: string, text: string) => {
    mkdirSync(path);
    write(join(path, file), text);
    return path;
  };
  folder(config.SERVICE_SKILLS_DIR, 'old.py', 'old');
  write(config.SERVICE_LLM_CONFIG_PATH, 'old');
  write(databaseFile(config), 'old');
  const parts = [
    {
      part: 'skills' as const,
      target: config.SERVICE_SKILLS_DIR,
      staged: folder(join(dataDir, 'new-1'), 'new.py', 'new'),
    },
    {
      part: 'language_model' as const,
      target: config.SERVICE_LLM_CONFIG_PATH,
      staged: write(join(dataDir, 'new-2'), 'new'),
    },
    {
      part: 'mapping' as const,
      target: config.SERVICE_ROBOT_MAPPING_PATH,
      staged: write(join(dataDir, 'new-3'), 'new'),
    },
  ];
  const database = {
    part: 'database' as const,
    target: databaseFile(config),
    staged: write(join(dataDir, 'new-4'), 'new'),
  };
  const journal = journalOf(parts, database);
  begin(config, journal);
  return { config, journal };
}

type World = ReturnType<typeof prepared>;

/** What the robot consists of, whatever else lies there. */
function partsOf({ config }: World) {
  const text = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  return {
    skills: existsSync(config.SERVICE_SKILLS_DIR) ? readdirSync(config.SERVICE_SKILLS_DIR) : null,
    languageModel: text(config.SERVICE_LLM_CONFIG_PATH),
    mapping: text(config.SERVICE_ROBOT_MAPPING_PATH),
    database: text(incomingPath(databaseFile(config))) ?? text(databaseFile(config)),
  };
}

const OLD = { skills: ['old.py'], languageModel: 'old', mapping: null, database: 'old' };
const NEW = { skills: ['new.py'], languageModel: 'new', mapping: 'new', database: 'new' };

/** The service is started again, and its database opens. */
async function restarted({ config }: World): Promise<void> {
  await resumeRestore(config, silentLogger);
  const incoming = incomingPath(databaseFile(config));
  if (existsSync(incoming)) {
    writeFileSync(databaseFile(config), readFileSync(incoming));
    rmSync(incoming);
  }
  endRestore(config);
}

function leftIn({ config }: World): string[] {
  const names = [...readdirSync(config.SERVICE_DATA_DIR), ...readdirSync(join(config.SERVICE_DATA_DIR, 'archives'))];
  return names.filter((name) => /^(new-|\.restore|restore)/.test(name));
}

/** Does so many steps and is killed. @returns whether there were more. */
function killedAfter(steps: number, work: Generator<void>): boolean {
  for (let done = 0; done < steps; done++) if (work.next().done) return false;
  return true;
}

function* restoring({ journal }: World): Generator<void> {
  yield* forward(journal);
  yield;
}

function* undoing({ config, journal }: World): Generator<void> {
  turnBack(config);
  yield;
  yield* back(journal);
  yield* end(config, journal);
}

function* ending({ config, journal }: World): Generator<void> {
  const incoming = incomingPath(databaseFile(config));
  writeFileSync(databaseFile(config), readFileSync(incoming));
  rmSync(incoming);
  yield;
  yield* end(config, journal);
}

describe('A restore that is killed', () => {
  it('after any number of its steps is finished by the next start, also if that is killed', async () => {
    for (let steps = 0, more = true; more; steps++) {
      for (let again = 0, further = true; further; again++) {
        const world = prepared();
        more = killedAfter(steps, restoring(world));
        further = killedAfter(again, forward(world.journal));
        await restarted(world);
        expect([steps, again, partsOf(world), leftIn(world)]).toEqual([steps, again, NEW, []]);
      }
    }
  });

  it('after its database was replaced stays finished', async () => {
    for (let steps = 0, more = true; more; steps++) {
      const world = prepared();
      doAll(forward(world.journal));
      more = killedAfter(steps, ending(world));
      await restarted(world);
      expect([steps, partsOf(world)]).toEqual([steps, NEW]);
    }
  });

  it('while it is undone, whatever it had done, is undone by the next start', async () => {
    for (let done = 0, more = true; more; done++) {
      for (let steps = 1, further = true; further; steps++) {
        const world = prepared();
        more = killedAfter(done, restoring(world));
        further = killedAfter(steps, undoing(world));
        await restarted(world);
        expect([done, steps, partsOf(world)]).toEqual([done, steps, OLD]);
      }
    }
  });

  it('says at the start what to do when its journal is damaged', async () => {
    const { config } = prepared();
    writeFileSync(join(config.SERVICE_DATA_DIR, 'archives', 'restore.json'), '{"swaps":1}');
    await expect(resumeRestore(config, silentLogger)).rejects.toThrow(/cannot be finished.*restore\.json/s);
  });

  it('leaves nothing behind after a start', async () => {
    const world = prepared();
    doAll(forward(world.journal));
    await restarted(world);
    expect(leftIn(world)).toEqual([]);
    expect(await resumeRestore(world.config, silentLogger)).toBe(false);
  });
});
