import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEvents } from '../support/events.ts';
import { BOOT_TIMEOUT_MS, PATIENCE } from '../support/guest.ts';
import { GuestService } from '../support/guest-service.ts';
import { until } from '../support/processes.ts';

describe('A base computer with a real systemd and journal', () => {
  let world: GuestService;

  beforeAll(async () => {
    world = await GuestService.boot();
  }, BOOT_TIMEOUT_MS);
  afterAll(() => world?.stop());

  /** The messages of a unit once the journal holds as many as are waited for. */
  async function logsOf(unit: string, count: number) {
    return until(
      `${count} entries of ${unit}`,
      async () => {
        const { json } = await world.service.as('ADMIN', `/api/v2/service/base/${unit}`);
        return json.entries.length >= count && json;
      },
      PATIENCE,
    );
  }

  it('lists only the allowed units of its systemd', async () => {
    const list = async () => {
      const { status, json } = await world.service.as('ADMIN', '/api/v2/service/get_services_list');
      expect(status).toBe(200);
      return Array.isArray(json.base) && json; // an error when it is slower than a base computer may be
    };
    const json = await until('the base computer has answered in time', list, PATIENCE);
    expect(json.base.map(({ name }: { name: string }) => name)).toEqual([
      'ap-corp.service',
      'ap-home.service',
      'ssh.service',
    ]);
    expect(json.base[1]).toEqual({
      name: 'ap-home.service',
      description: 'Access point home',
      load_state: 'loaded',
      active_state: 'active',
      sub_state: 'running',
      enabled: true,
    });
  });

  it('returns what a unit wrote and what systemd logged about it, in order', async () => {
    const lines = `echo first; printf '\\033[31mred\\033[0m\\n'; echo trouble >&2; exit 3`;
    await world.guest.run(`systemd-run --quiet --unit=lab-writer sh -c "${lines}"`);
    const { system, truncated, entries } = await logsOf('lab-writer.service', 6);
    expect({ system, truncated }).toEqual({ system: 'base', truncated: false });
    const messages = entries.map(({ message }: { message: string }) => message);
    expect(messages).toEqual([
      expect.stringContaining('Started'),
      'first',
      'red',
      'trouble',
      expect.stringContaining('status=3'),
      expect.stringContaining('Failed'),
    ]);
    const text = await world.service.as('ADMIN', '/api/v2/service/base/lab-writer.service?lines=4', {
      headers: { accept: 'text/plain' },
    });
    expect(text.headers['x-truncated']).toBe('true');
    expect(text.text).toMatch(/^[-\dT:.]+Z \[\d+\] red\n.*trouble\n.*status=3.*\n.*Failed.*\n$/);
  });

  it('streams new entries of a unit and ends the remote reader when the client leaves', async () => {
    await world.guest.run('systemd-run --quiet --unit=lab-ticker sh -c "while echo tick; do sleep 1; done"');
    const readers = () => world.guest.run('pgrep --count --full "[j]ournalctl.*--follow" || true');
    const client = await openEvents(
      `${world.service.url}/api/v2/service/base/lab-ticker.service?follow=true`,
      await world.service.token('ADMIN'),
    );
    await until('two ticks', () => client.data().length >= 2, PATIENCE);
    expect(client.data()[0]).toMatchObject({ message: 'tick', priority: 6, pid: expect.any(Number) });
    expect((await readers()).trim()).toBe('1');
    client.leave();
    await until('the reader is gone', async () => (await readers()).trim() === '0', PATIENCE);
    await world.guest.run('systemctl stop lab-ticker');
  });
});
