import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { JOURNAL_REMOTE, journalSettings, writeJournal } from '../support/journal.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { temporaryFolder } from '../support/world.ts';

const HOSTILE_UNITS = [
  '*',
  '*.service',
  'na?.service',
  '[a-z]*.service',
  'n[a]v.service',
  '-x',
  '-x.service',
  '--root=/',
  '--root=/.service',
  '--unit=nav.service',
  'a;id',
  'a;id.service',
  "nav.service';id;'.service",
  '$(id).service',
  '`id`.service',
  'nav.service id',
  '../../etc/passwd',
  '../nav.service',
  '/etc/passwd.service',
  'nav.service\n',
  'a\nb.service',
  'nav.service\0',
  'nav\0.service',
  `${'a'.repeat(300)}.service`,
  'ünit.service',
  'nav.socket',
  'nav',
  '.service',
  ' nav.service',
  'Nav.service',
  'nav.service.service',
  'secret.service',
];
const HOSTILE_SYSTEMS = ['arm', 'HEAD', 'head ', '-oProxyCommand=id', 'head;id', '..', '__proto__', 'constructor', '*'];

describeWith('systemd-journal-remote', JOURNAL_REMOTE, 'Unit names that are not allowed', () => {
  describeWith('sshd', SSHD, 'on head, and on base over a real sshd', () => {
    const folder = temporaryFolder();
    const record = join(folder, 'record');
    const sshd = new TestSshd();
    let service: TestService;

    /** A program that writes down how it was called, and goes on as the real one. */
    function recorder(path: string, onward: string): string {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, `#!/bin/sh\nprintf '%s ' "$0" "$@" "$SSH_ORIGINAL_COMMAND" >> ${record}\n${onward}\n`);
      chmodSync(path, 0o755);
      return path;
    }

    const recorded = () => readFileSync(record, 'utf8');
    const read = (system: string, unit: string, query = '') =>
      service.as('ENCHANTER', `/api/v2/service/${encodeURIComponent(system)}/${encodeURIComponent(unit)}${query}`);

    beforeAll(async () => {
      writeFileSync(record, '');
      const bin = join(folder, 'bin');
      for (const program of ['journalctl', 'systemctl']) recorder(join(bin, program), `exec /usr/bin/${program} "$@"`);
      await writeJournal(join(folder, 'journal'), [
        { at: Date.now() * 1000, unit: 'nav.service', message: 'seen' },
        { at: Date.now() * 1000 + 1, unit: 'secret.service', message: 'not to be seen' },
      ]);
      await sshd.start(recorder(join(folder, 'forced'), 'exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"'));
      service = await startTestService({
        settings: {
          PATH: `${bin}:${process.env.PATH}`,
          ...journalSettings(join(folder, 'journal'), join(folder, 'journal'), 'head=n*v.service;base=nav.service'),
          ...sshd.settings(),
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await sshd.stop();
    });

    it('records the commands for allowed units, which shows that the recorders work', async () => {
      for (const system of ['head', 'base']) {
        const { status, json } = await read(system, 'nav.service');
        expect([status, json.entries.length]).toEqual([200, 1]);
      }
      expect(recorded()).toMatch(/bin\/journalctl .*--unit=nav\.service/);
      expect(recorded()).toMatch(/forced .*'journalctl' .*'--unit=nav\.service'/);
    });

    describe.each(['head', 'base'])('on %s', (system) => {
      it.each(HOSTILE_UNITS)('passes no hostile unit name to a program: %j', async (unit) => {
        const before = recorded();
        for (const query of ['', '?lines=5', '?follow=true']) {
          const { status, json } = await read(system, unit, query);
          expect([status, json.code]).toEqual([404, 'unit_not_allowed']);
        }
        expect(recorded()).toBe(before);
      });
    });

    it.each(HOSTILE_SYSTEMS)('rejects the system name %j', async (system) => {
      const before = recorded();
      expect((await read(system, 'nav.service')).status).toBe(404);
      expect(recorded()).toBe(before);
    });

    it('rejects callers without access before running anything', async () => {
      const before = recorded();
      const path = '/api/v2/service/head/nav.service';
      expect((await service.as('USER', path)).json.code).toBe('insufficient_access');
      expect((await service.as(undefined, path)).json.code).toBe('missing_token');
      expect(recorded()).toBe(before);
    });
  });
});
