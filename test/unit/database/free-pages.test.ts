import { describe, expect, it } from '@jest/globals';
import { homeWithRobots, inFile, startAt } from '../../support/database-file.ts';
import { temporaryFolder } from '../../support/world.ts';

const autoVacuum = (home: string) => inFile(home, (file) => file.pragma('auto_vacuum', { simple: true }));
const robots = (home: string) => inFile(home, (file) => file.prepare('select * from robots_table').all());

describe('A database that cannot give pages back to the disk', () => {
  it('is rewritten at a start, and has the same rows', async () => {
    const home = temporaryFolder();
    await homeWithRobots(home, 1000);
    inFile(home, (file) => {
      file.pragma('auto_vacuum = NONE');
      file.exec('VACUUM');
    });
    const before = robots(home);
    expect(autoVacuum(home)).toBe(0);
    expect((await startAt(home)).problem).toBeUndefined();
    expect(autoVacuum(home)).toBe(2);
    expect(robots(home)).toEqual(before);
  });
});
