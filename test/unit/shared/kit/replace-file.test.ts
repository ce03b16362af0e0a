import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createKey } from '../../../../functions/shared/identity/adapters/key-store/edit.ts';
import { replaceFile } from '../../../../functions/shared/kit/files/replace-file.ts';
import { temporaryFolder } from '../../../support/world.ts';

const [OWNER, GROUP] = [12_345, 54_321];
const describeAsRoot = process.getuid?.() === 0 ? describe : describe.skip;

describeAsRoot('A file replaced by root', () => {
  it('keeps its owner', () => {
    const path = join(temporaryFolder(), 'keys.json');
    writeFileSync(path, 'old');
    chownSync(path, OWNER, GROUP);
    replaceFile(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path)).toMatchObject({ uid: OWNER, gid: GROUP });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('belongs to the owner of its folder when new', async () => {
    const folder = temporaryFolder();
    chownSync(folder, OWNER, GROUP);
    const path = join(folder, 'api-keys.json');
    await createKey(path, { name: 'tablet', level: 'ADMIN' });
    expect(statSync(path)).toMatchObject({ uid: OWNER, gid: GROUP });
  });
});
