import { linkSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { hasSpare, keepSpare, replaceFromSpare } from '../../../../functions/shared/kit/files/spare-file.ts';
import { temporaryFolder } from '../../../support/world.ts';

const OLD = '{"keys": ["old"]}\n';

function fileWithSpare() {
  const path = join(temporaryFolder(), 'keys.json');
  writeFileSync(path, OLD, { mode: 0o600 });
  keepSpare(path);
  const spare = join(dirname(path), '.keys.json.spare');
  return { path, spare, previous: `${spare}-previous` };
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

describe('A spare file', () => {
  it('replaces the file any number of times without creating files or releasing bytes', () => {
    const { path, spare } = fileWithSpare();
    const inodes = [statSync(path).ino, statSync(spare).ino].sort();
    for (let count = 0; count < 5; count += 1) {
      expect(replaceFromSpare(path, `{"count":${count}}`)).toBe(true);
      expect(read(path)).toEqual({ count });
      expect(readdirSync(dirname(path)).sort()).toEqual(['.keys.json.spare', 'keys.json']);
      expect([statSync(path).ino, statSync(spare).ino].sort()).toEqual(inodes);
      expect([statSync(path).size, statSync(spare).size]).toEqual([OLD.length, OLD.length]);
    }
  });

  it.each([
    ['before the file had its second name', () => {}],
    [
      'before the spare took its place',
      ({ path, previous }: ReturnType<typeof fileWithSpare>) => linkSync(path, previous),
    ],
    [
      'before the file became the spare',
      ({ path, spare, previous }: ReturnType<typeof fileWithSpare>) => {
        linkSync(path, previous);
        writeFileSync(spare, '{"keys":["new"]}'.padEnd(OLD.length));
        renameSync(spare, path);
      },
    ],
  ])('can be used again after a kill %s', (_when, leave) => {
    const files = fileWithSpare();
    leave(files);
    expect(read(files.path).keys).toHaveLength(1);
    expect(replaceFromSpare(files.path, '{"keys":[]}')).toBe(true);
    expect(read(files.path)).toEqual({ keys: [] });
    expect([hasSpare(files.path), statSync(files.path).nlink, statSync(files.spare).nlink]).toEqual([true, 1, 1]);
  });

  it('that is the file itself, or too short, is ignored', () => {
    const { path, spare } = fileWithSpare();
    expect(replaceFromSpare(path, 'x'.repeat(OLD.length + 1))).toBe(false);
    renameSync(path, spare);
    linkSync(spare, path);
    expect(replaceFromSpare(path, '{}')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(OLD);
  });
});
