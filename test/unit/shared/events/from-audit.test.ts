import { describe, expect, it } from '@jest/globals';
import { publishAudited } from '../../../../functions/shared/events/from-audit.ts';
import type { JsonObject } from '../../../../functions/shared/kit/json.ts';
import type { AuditEntry } from '../../../../functions/shared/observability/audit-entry.schema.ts';
import { auditEntry } from '../../../support/audit-entries.ts';

const NOW = Date.parse('2027-03-01T12:00:00Z');

/** What is told of an entry, besides the entry itself. */
function toldOf(action: string, subject: JsonObject, changes: Partial<AuditEntry> = {}): unknown[] {
  const told: unknown[] = [];
  const entry = auditEntry(NOW, { action, subject, ...changes });
  publishAudited({ publish: (topic, verb, data) => void told.push([topic, verb, data]) }, entry);
  expect(told.shift()).toEqual(['audit', 'appended', entry]);
  return told;
}

describe('An audit entry', () => {
  it.each<[string, JsonObject, unknown]>([
    [
      'database.update',
      { table: 'robots_table', key: 3, columns: ['name'] },
      ['database', 'changed', { table: 'robots_table', operation: 'update', id: 3 }],
    ],
    ['database.clear', { table: null }, ['database', 'changed', { table: null, operation: 'clear', id: null }]],
    ['database.restore', { backup: 'x' }, ['database', 'changed', { table: null, operation: 'restore', id: null }]],
    ['skill.enable', { skill: 'a', enabled: true }, ['skills', 'enabled', { skill: 'a' }]],
    ['skill.rename', { skill: 'a', new_name: 'b' }, ['skills', 'renamed', { skill: 'b', previous: 'a' }]],
    ['skill.remove', { skill: 'a' }, ['skills', 'removed', { skill: 'a' }]],
    ['network.configure', { ssid: 'home' }, ['network', 'configured', { ssid: 'home', outcome: 'ok' }]],
  ])('of %s is told as an event', (action, subject, event) => {
    expect(toldOf(action, subject)).toEqual([event]);
  });

  it.each<[string, JsonObject]>([
    ['database.add', { table: 'robots_table', key: 3 }],
    ['skill.upload', { skill: 'a', enabled: true }],
  ])('of %s that failed is no change', (action, subject) => {
    expect(toldOf(action, subject, { outcome: 'busy' })).toEqual([]);
  });

  it.each(['volume.set', 'token.publisher', 'database.export', 'something.else'])(
    'of %s is told as such only',
    (action) => {
      expect(toldOf(action, {})).toEqual([]);
    },
  );

  it('of a command that failed is told with its outcome', () => {
    expect(toldOf('command', { command: 'stop' }, { outcome: 'robot_timeout' })).toMatchObject([
      ['commands', 'answered', { command: 'stop', outcome: 'robot_timeout' }],
    ]);
  });
});
