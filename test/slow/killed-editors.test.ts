import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createKey, listKeys } from '../../functions/shared/adapters/key-store/edit.ts';
import { rotateNow, showKeys } from '../../functions/shared/adapters/signing-keys/rotate.ts';
import { type Started, sourceUrl, startModule } from '../support/run-source.ts';
import { temporaryFolder } from '../support/world.ts';

const KILLS = 6;

/** Starts an editor that works without end and kills it somewhere in the middle, once it has begun. */
async function killInTheMiddle(editor: Started): Promise<string> {
  while (!editor.stdout().includes('\n')) await pause(5);
  await pause(Math.random() * 60);
  editor.child.kill('SIGKILL');
  const { signal, stdout } = await editor.ended;
  expect(signal).toBe('SIGKILL');
  return stdout;
}

describe('kill -9 of an editor, wherever it stands', () => {
  it('leaves a key file that holds every key it has told of, and the next editor works', async () => {
    const path = join(temporaryFolder(), 'api-keys.json');
    const code = `
      import { createKey } from '${sourceUrl('functions/shared/adapters/key-store/edit.ts')}';
      for (;;) console.log((await createKey('${path}', { name: 'n', level: 'USER' })).record.id);`;
    const told: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const stdout = await killInTheMiddle(startModule(code));
      told.push(...stdout.split('\n').slice(0, -1));
      const kept = new Set(listKeys(path).map(({ id }) => id));
      expect(told.filter((id) => !kept.has(id))).toEqual([]);
    }
    const { record } = await createKey(path, { name: 'last', level: 'ADMIN' });
    expect(listKeys(path).at(-1)).toEqual(record);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('leaves a signing-key file with the old key or the new one', async () => {
    const path = join(temporaryFolder(), 'jwt.pem');
    const code = `
      import { rotateNow } from '${sourceUrl('functions/shared/adapters/signing-keys/rotate.ts')}';
      for (;;) console.log((await rotateNow('${path}', Date.now()))[0].kid);`;
    for (let kill = 0; kill < KILLS; kill++) {
      await killInTheMiddle(startModule(code));
      expect(showKeys(path, Date.now())).toHaveLength(1);
    }
    const [last] = await rotateNow(path, Date.now());
    expect(showKeys(path, Date.now()).map(({ kid }) => kid)).toEqual([last?.kid]);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });
});
