import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { eventStream } from '../../../../functions/shared/pipeline/event-stream.ts';
import { logForm } from '../../../../functions/shared/pipeline/log-form.ts';
import { textLogs } from '../../../../functions/system/services/log-streams.ts';
import type { LogEntry, ServiceManager } from '../../../../functions/system/services/port.ts';
import { listServices } from '../../../../functions/system/services/services.ts';

const entry = (changes: Partial<LogEntry>): LogEntry => ({
  timestamp: '2026-01-01T00:00:00.000000Z',
  priority: 6,
  pid: 7,
  message: 'hello',
  ...changes,
});

describe('Logs are sent as text', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/plain', true],
    ['TEXT/*', true],
    ['text/plain, application/json', true],
    ['application/json, text/plain', false],
    ['application/*;q=0.5, text/plain;q=0.6', true],
    ['text/plain;q=0', false],
    ['application/json;q=0.9, text/plain;q=7', true],
    ['application/json, text/plain;q=much', false],
    ['text/plain;q=-1, application/json;q=0.9', true],
  ])('for the Accept header %j: %p', (accept, expected) => {
    expect(logForm(accept, false)).toBe(expected ? 'text' : 'json');
  });
});

describe('Logs as text', () => {
  it('have one line per entry that no message can forge', async () => {
    const entries = [entry({}), entry({ pid: null, message: 'two\n2026-01-01T00:00:00Z forged' })];
    expect(await text(textLogs(Readable.from(entries)))).toBe(
      '2026-01-01T00:00:00.000000Z [7] hello\n' + '2026-01-01T00:00:00.000000Z two\n    2026-01-01T00:00:00Z forged\n',
    );
  });
});

describe('Followed logs', () => {
  it('send a heartbeat while nothing happens', async () => {
    const entries = new Readable({ objectMode: true, read() {} });
    const events = eventStream(entries, 5).setEncoding('utf8');
    let heard = '';
    events.on('data', (part: string) => {
      heard += part;
    });
    while (!/\n\n:\n\n:\n\n/.test(heard)) await once(events, 'data');
    entries.push(entry({ message: 'at last' }));
    while (!heard.includes('at last')) await once(events, 'data');
    entries.destroy(new ServiceError('component_unavailable', { detail: 'It went away.' }));
    await once(events, 'end');
    expect(heard).toMatch(/event: end\ndata: {"reason":"It went away\."}\n\n$/);
  });
});

describe('The services of the two computers', () => {
  const manager = (units: ServiceManager['units']): ServiceManager => ({
    units,
    logs: () => Promise.reject(new Error('no logs here')),
    exists: () => Promise.reject(new Error('no logs here')),
    now: () => Promise.reject(new Error('no clock here')),
    restart: () => Promise.reject(new Error('no restart here')),
    follow: () => Promise.reject(new Error('no logs here')),
  });
  const list = (units: ServiceManager['units']) => {
    const systems = { head: manager(async () => []), base: manager(units) };
    const managers = { kind: 'simulated', systems, close() {} } as const;
    return listServices(managers, { head: ['*'], base: ['*'] }, new AbortController().signal);
  };

  it('are listed for the one that answers, with the reason for the other', async () => {
    const away = new ServiceError('component_unavailable', { detail: 'It is off.' });
    expect(await list(() => Promise.reject(away))).toEqual({
      head: [],
      base: { available: false, reason: 'It is off.' },
    });
  });

  it('are not listed after an unexpected error', async () => {
    await expect(list(() => Promise.reject(new TypeError('not foreseen')))).rejects.toThrow(TypeError);
  });
});
