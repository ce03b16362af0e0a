import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Running } from '../../../../functions/shared/kit/child-process/running.ts';
import type { Machine } from '../../../../functions/system/services/adapters/machine.ts';
import { systemdManager } from '../../../../functions/system/services/adapters/systemd.ts';

interface World {
  readonly journal?: string;
  readonly files?: string;
  readonly loaded?: string;
  /** What systemctl complains of. */
  readonly stderr?: string;
}

/** A computer with these journal entries, unit files and loaded units. */
function machine({ journal = '', files = '[]', loaded = '[]', stderr = '' }: World): Machine & { asked: string[] } {
  const asked: string[] = [];
  return {
    system: 'head',
    journalDir: undefined,
    asked,
    async start([program, ...words]): Promise<Running> {
      asked.push(words.join(' '));
      const systemctl = program === 'systemctl';
      const stdout = Readable.from(
        [systemctl ? (words[0] === 'list-units' ? loaded : files) : journal].map(Buffer.from),
      );
      const exit = { code: systemctl && stderr !== '' ? 1 : 0, stderr: systemctl ? stderr : '' };
      return { stdout, exit: Promise.resolve(exit), stop: () => stdout.destroy() };
    },
    close: () => undefined,
  };
}

const noRestart = () => Promise.reject(new Error('nothing is restarted here'));
const exists = (world: World, unit = 'a.service') =>
  systemdManager(machine(world), noRestart).exists(unit, new AbortController().signal);

describe('A unit', () => {
  const loaded = (load: string) => JSON.stringify([{ unit: 'a.service', load, active: 'inactive', sub: 'dead' }]);

  it.each<[string, World, boolean]>([
    ['with a journal entry alone', { journal: '{"__CURSOR":"c"}\n' }, true],
    ['with a unit file alone', { files: '[{"unit_file":"a.service","state":"disabled"}]' }, true],
    ['that is loaded without a file', { loaded: loaded('loaded') }, true],
    ['that others only refer to', { loaded: loaded('not-found') }, false],
    ['of which nothing is known', {}, false],
    ['on a computer without systemd', { stderr: 'System has not been booted with systemd' }, true],
  ])('%s: %p', async (_what, world, expected) => {
    expect(await exists(world)).toBe(expected);
  });

  it('exists by its template', async () => {
    const head = machine({ files: '[{"unit_file":"a@.service","state":"static"}]' });
    expect(await systemdManager(head, noRestart).exists('a@1.service', new AbortController().signal)).toBe(true);
    expect(head.asked[1]).toMatch(/-- a@1\.service a@\.service$/);
  });
});
