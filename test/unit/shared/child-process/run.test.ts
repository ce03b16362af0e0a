import { describe, expect, it } from '@jest/globals';
import { run } from '../../../../functions/shared/adapters/child-process/run.ts';
import { start } from '../../../../functions/shared/adapters/child-process/start.ts';
import { processesWith, until } from '../../../support/processes.ts';

const environment = { PATH: process.env.PATH ?? '', MARK: 'seen' };
const options = { environment, signal: new AbortController().signal, timeLimit: 10_000 };

describe('A child process', () => {
  it('gets its words as they are and nothing but the environment it is given', async () => {
    const words = ['a b', '$HOME', "'", ';id', ''];
    expect((await run(['printf', '%s|', ...words], options)).stdout).toBe(words.map((word) => `${word}|`).join(''));
    const { stdout } = await run(['env'], options);
    expect(stdout.trim().split('\n').sort()).toEqual([`MARK=seen`, `PATH=${environment.PATH}`]);
  });

  it('tells its exit code and what it complained about, which is capped', async () => {
    expect(await run(['sh', '-c', 'echo out; echo trouble >&2; exit 3'], options)).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'trouble',
    });
    const { stderr } = await run(['sh', '-c', 'head -c 100000 /dev/zero | tr "\\0" x >&2'], options);
    expect(stderr).toHaveLength(4096);
  });

  it('that does not exist is told apart', async () => {
    await expect(run(['no-such-program-here'], options)).rejects.toMatchObject({ kind: 'missing' });
    await expect(run(['/dev/null'], options)).rejects.toMatchObject({ kind: 'missing' });
  });

  it('that takes too long, or is no longer wanted, is killed', async () => {
    const mark = `98765.${process.pid}`;
    await expect(run(['sleep', mark], { ...options, timeLimit: 100 })).rejects.toMatchObject({ kind: 'time-limit' });
    const controller = new AbortController();
    const unwanted = run(['sleep', mark], { ...options, signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(unwanted).rejects.toThrow('left');
    await until('both are gone', () => processesWith(mark).length === 0);
  });

  it('that says too much is killed', async () => {
    await expect(run(['yes', `much-${process.pid}`], options)).rejects.toMatchObject({ kind: 'output-cap' });
    await until('it is gone', () => processesWith(`much-${process.pid}`).length === 0);
  });

  it('whose output nobody reads any more is killed', async () => {
    const running = start(['sleep', `98764.${process.pid}`], options);
    running.stdout.destroy();
    expect(await running.exit).toMatchObject({ code: null });
  });

  it('is not started for who has left already', () => {
    expect(() => start(['sleep', '1'], { ...options, signal: AbortSignal.abort(new Error('left')) })).toThrow('left');
  });
});
