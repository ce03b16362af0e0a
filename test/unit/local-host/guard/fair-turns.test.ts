import { describe, expect, it } from '@jest/globals';
import { FairTurns } from '../../../../local-host/guard/fair-turns.ts';

const turn = () => new Promise(setImmediate);

describe('Fair turns', () => {
  it('run work at once when nothing waits', async () => {
    const turns = new FairTurns();
    let done = 0;
    for (let count = 1; count <= 3; count += 1) {
      turns.run('a', () => {
        done += 1;
      });
      expect(done).toBe(count);
      await turn();
      await turn();
    }
  });

  it('give each owner a turn, however much another has asked for', async () => {
    const turns = new FairTurns();
    const done: string[] = [];
    const ask = (owner: string, what: string) => turns.run(owner, () => void done.push(what));
    for (let count = 0; count < 100; count += 1) ask('flood', `flood ${count}`);
    ask('a', 'a 0');
    ask('b', 'b 0');
    ask('a', 'a 1');
    for (let count = 0; count < 8; count += 1) await turn();
    expect(done.slice(0, 6)).toEqual(['flood 0', 'flood 1', 'a 0', 'b 0', 'flood 2', 'a 1']);
    for (let count = 0; count < 100; count += 1) await turn();
    expect(done.filter((what) => what.startsWith('flood'))).toEqual(
      Array.from({ length: 100 }, (_, count) => `flood ${count}`),
    );
  });

  it('let other work of the process in between', async () => {
    const turns = new FairTurns();
    let done = 0;
    const count = () => {
      done += 1;
    };
    for (let index = 0; index < 10; index += 1) turns.run('a', count);
    expect(done).toBe(1);
    await turn();
    expect(done).toBeLessThan(4);
  });

  it('go on after work that throws, and refuse what is beyond all reason', async () => {
    const turns = new FairTurns();
    const fail = () => {
      throw new Error('broken');
    };
    expect(() => turns.run('a', fail)).toThrow('broken');
    let done = 0;
    const count = () => {
      done += 1;
    };
    const accepted = Array.from({ length: 300 }, () => turns.run('a', count));
    expect(accepted.filter((was) => was)).toHaveLength(256);
    for (let times = 0; times < 300; times += 1) await turn();
    expect(done).toBe(256);
  });
});
