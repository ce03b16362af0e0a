import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createKey, listKeys } from '../../functions/shared/identity/adapters/key-store/edit.ts';
import { rotateNow, showKeys } from '../../functions/shared/identity/adapters/signing-keys/rotate.ts';
import { ageLock } from '../support/locks.ts';
import { Random } from '../support/random.ts';
import { type Started, sourcePath, startModule } from '../support/run-source.ts';
import { temporaryFolder } from '../support/world.ts';

const KILLS = 6;
const random = new Random(20_261_123);

/** Starts an editor that works without end and kills it somewhere in the middle, once it has begun. */
async function killInTheMiddle(editor: Started): Promise<string> {
  while (!editor.stdout().includes('\n')) await pause(5);
  await pause(random.below(60));
  editor.child.kill('SIGKILL');
  const { signal, stdout } = await editor.ended;
  expect(signal).toBe('SIGKILL');
  return stdout;
}

describe('kill -9 of a key file editor at any point', () => {
  it('leaves a key file with every reported key, and the next editor works', async () => {
    const path = join(temporaryFolder(), 'api-keys.json');
    const code = `
      import { createKey } from '${sourcePath('functions/shared/identity/adapters/key-store/edit.ts')}';
      for (;;) console.log((await createKey('${path}', { name: 'n', level: 'USER' })).record.id);`;
    const told: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const stdout = await killInTheMiddle(startModule(code));
      told.push(...stdout.split('\n').slice(0, -1));
      const kept = new Set(listKeys(path).map(({ id }) => id));
      expect(told.filter((id) => !kept.has(id))).toEqual([]);
      if (kill < KILLS - 1) ageLock(path); // the last one is waited for
    }
    const { record } = await createKey(path, { name: 'last', level: 'ADMIN' });
    expect(listKeys(path).at(-1)).toEqual(record);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('leaves a signing-key file with the old or the new key', async () => {
    const path = join(temporaryFolder(), 'jwt.pem');
    const code = `
      import { rotateNow } from '${sourcePath('functions/shared/identity/adapters/signing-keys/rotate.ts')}';
      for (;;) console.log((await rotateNow('${path}', Date.now()))[0].kid);`;
    for (let kill = 0; kill < KILLS; kill++) {
      await killInTheMiddle(startModule(code));
      expect(showKeys(path, Date.now())).toHaveLength(1);
      if (kill < KILLS - 1) ageLock(path);
    }
    const [last] = await rotateNow(path, Date.now());
    expect(showKeys(path, Date.now()).map(({ kid }) => kid)).toEqual([last?.kid]);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });
});
