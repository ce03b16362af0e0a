import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Holds } from '../../../../local-host/guard/holds.ts';
import { type Hold, monotonicMs } from '../../../../local-host/guard/messages.ts';
import { until } from '../../../support/processes.ts';

function watch() {
  const ends: string[] = [];
  const holds = new Holds((kind, why) => void ends.push(`${kind}: ${why}`));
  return { ends, holds };
}

const hold = (kind: Hold['kind'], inMs: number): Hold => ({ kind, until: monotonicMs() + inMs });

describe('Motion that the service has announced', () => {
  it('is stopped once its announced end has passed, and only once', async () => {
    const { ends, holds } = watch();
    holds.take([hold('jog', -50)]);
    expect(ends).toEqual([]);
    await until('it is ended', () => ends.length > 0);
    expect(ends).toEqual(['jog: its announced end has passed']);
    holds.hostDied();
    expect(ends).toHaveLength(1);
  });

  it('goes on while its end is put off, and when it is announced no more', async () => {
    const { ends, holds } = watch();
    for (let turn = 0; turn < 5; turn += 1) {
      holds.take([hold('lease', -1_000)]);
      await sleep(50);
    }
    holds.take([]);
    await sleep(200);
    holds.hostDied();
    expect(ends).toEqual([]);
  });

  it('of a lease is given longer than a jog, and each ends by itself', async () => {
    const { ends, holds } = watch();
    holds.take([hold('lease', 60_000), hold('jog', -200)]);
    await until('the jog is ended', () => ends.length > 0);
    expect(ends).toEqual(['jog: its announced end has passed']);
    holds.take([hold('lease', -1_000)]);
    expect(ends).toHaveLength(1);
    holds.take([hold('lease', -2_000)]);
    await until('the motion of the lease is ended', () => ends.length > 1);
    expect(ends[1]).toMatch(/^lease/);
  });

  it('is stopped at once when the service dies', () => {
    const { ends, holds } = watch();
    holds.take([hold('lease', 60_000)]);
    holds.hostDied();
    expect(ends).toEqual(['lease: the service died']);
  });

  it('of a kind that this guard does not know, or without an end, is left alone', () => {
    const { ends, holds } = watch();
    const odd = [
      { kind: 'dance', until: 0 },
      { kind: 'lease', until: null },
    ] as unknown as Hold[]; // as: from a newer service
    holds.take(odd);
    holds.hostDied();
    expect(ends).toEqual([]);
  });
});
