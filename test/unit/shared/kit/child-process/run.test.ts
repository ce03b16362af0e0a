import { describe, expect, it } from '@jest/globals';
import { run } from '../../../../../functions/shared/kit/child-process/run.ts';
import { start } from '../../../../../functions/shared/kit/child-process/start.ts';
import { processesWith, until } from '../../../../support/processes.ts';
import { sourcePath, startModule } from '../../../../support/run-source.ts';

const environment = { PATH: process.env.PATH ?? '', MARK: 'seen' };
const options = { environment, signal: new AbortController().signal, timeLimit: 10_000 };

/** How many processes sleep for so long; the shell that has started them is not one. */
function sleeping(mark: string): number {
  return processesWith(`sleep ${mark}`).length - processesWith(`sh -c sleep ${mark}`).length;
}

describe('A child process', () => {
  it('gets its arguments unchanged and only the given environment', async () => {
    const words = ['a b', '$HOME', "'", ';id', ''];
    expect((await run(['printf', '%s|', ...words], options)).stdout).toBe(words.map((word) => `${word}|`).join(''));
    const { stdout } = await run(['env'], options);
    expect(stdout.trim().split('\n').sort()).toEqual([`MARK=seen`, `PATH=${environment.PATH}`]);
  });

  it('returns its exit code and bounded stderr', async () => {
    expect(await run(['sh', '-c', 'echo out; echo trouble >&2; exit 3'], options)).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'trouble',
    });
    const { stderr } = await run(['sh', '-c', 'head -c 100000 /dev/zero | tr "\\0" x >&2'], options);
    expect(stderr).toHaveLength(4096);
  });

  it('that does not exist is reported as such', async () => {
    await expect(run(['no-such-program-here'], options)).rejects.toMatchObject({ kind: 'missing' });
    await expect(run(['/dev/null'], options)).rejects.toMatchObject({ kind: 'missing' });
  });

  it('is killed when it takes too long or is aborted', async () => {
    const mark = `98765.${process.pid}`;
    await expect(run(['sleep', mark], { ...options, timeLimit: 100 })).rejects.toMatchObject({ kind: 'time-limit' });
    const controller = new AbortController();
    const unwanted = run(['sleep', mark], { ...options, signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(unwanted).rejects.toThrow('left');
    await until('both are gone', () => processesWith(mark).length === 0);
  });

  it('that takes too long is killed with its descendants', async () => {
    const mark = `98763.${process.pid}`;
    const hung = run(['sh', '-c', `sleep ${mark} & sleep ${mark}`], { ...options, timeLimit: 2000 });
    await until('it has started another', () => sleeping(mark) === 2);
    await expect(hung).rejects.toMatchObject({ kind: 'time-limit' });
    await until('both are gone', () => sleeping(mark) === 0);
  });

  it('that left descendants holding its output too long is killed with them', async () => {
    const mark = `98762.${process.pid}`;
    await expect(run(['sh', '-c', `sleep ${mark} &`], { ...options, timeLimit: 200 })).rejects.toMatchObject({
      kind: 'time-limit',
    });
    await until('it is gone', () => sleeping(mark) === 0);
  });

  it('and its descendants do not outlive this process', async () => {
    const mark = `98761.${process.pid}`;
    const { child, ended } = startModule(`
      import { start } from '${sourcePath('functions/shared/kit/child-process/start.ts')}';
      const signal = new AbortController().signal;
      process.on('SIGTERM', () => process.exit(0));
      const mark = '98761.' + ${process.pid}; // in two parts, so that this program is not taken for what it starts
      start(['sh', '-c', 'sleep ' + mark + ' & sleep ' + mark], { environment: { PATH: process.env.PATH }, signal, timeLimit: 60_000 });
    `);
    await until('they run', () => sleeping(mark) === 2);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    await until('they are gone', () => sleeping(mark) === 0);
  });

  it('is killed when it writes too much', async () => {
    await expect(run(['yes', `much-${process.pid}`], options)).rejects.toMatchObject({ kind: 'output-cap' });
    await until('it is gone', () => processesWith(`much-${process.pid}`).length === 0);
  });

  it('is killed when nobody reads its output any more', async () => {
    const running = start(['sleep', `98764.${process.pid}`], options);
    running.stdout.destroy();
    expect(await running.exit).toMatchObject({ code: null });
  });

  it('is not started when already aborted', () => {
    expect(() => start(['sleep', '1'], { ...options, signal: AbortSignal.abort(new Error('left')) })).toThrow('left');
  });
});
