import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import { SandboxInit } from '../../../../functions/shared/runs/adapters/sandbox/sandbox-init.ts';
import { isAlive, Processes, until } from '../../../support/processes.ts';

describe('The first process of a sandbox', () => {
  const processes = new Processes();
  afterAll(() => processes.stopAll());

  /** A process as bubblewrap would report it, in pieces. */
  function reported() {
    const child = processes.start('sleep', ['600']);
    const info = new PassThrough();
    const pid = child.pid ?? 0;
    const report = (text = `{ "child-pid": ${pid}, "x": 1 }`) => {
      info.write(text.slice(0, 9));
      info.write(text.slice(9));
    };
    return { init: new SandboxInit(info), pid, report, isGone: () => until('it is gone', () => !isAlive(pid)) };
  }

  it('is killed by the id that was reported', async () => {
    const { init, pid, report, isGone } = reported();
    report();
    await init.known;
    expect(isAlive(pid)).toBe(true);
    init.kill();
    init.kill();
    await isGone();
    init.kill();
  });

  it('is killed as soon as it is reported, if that was asked for before', async () => {
    const { init, report, isGone } = reported();
    init.kill();
    report();
    await isGone();
  });
});
