import * as z from 'zod';
import type { AuditEntry } from '../observability/audit-entry.schema.ts';
import type { Events } from './events.port.ts';

const Subject = {
  command: z.object({ command: z.string(), value: z.unknown().optional() }),
  row: z.object({ table: z.string().nullable().default(null), key: z.union([z.string(), z.number()]).nullish() }),
  skill: z.object({ skill: z.string(), enabled: z.boolean().optional(), new_name: z.string().optional() }),
  network: z.object({ ssid: z.string() }),
};

const OPERATIONS = ['add', 'update', 'delete', 'clear', 'import', 'restore'] as const;

/** Publishes the event for an audit entry. Subjects of entries contain no secrets. */
export function publishAudited(events: Events, entry: AuditEntry): void {
  events.publish('audit', 'appended', entry);
  const [area, verb] = entry.action.split('.');
  if (area === 'command') {
    if (!isOfFleetRobot(entry)) publishCommand(events, entry);
  } else if (entry.action === 'network.configure') publishNetwork(events, entry);
  else if (entry.outcome !== 'ok') return;
  else if (area === 'database') publishDatabase(events, entry, verb);
  else if (area === 'skill') publishSkill(events, entry, verb);
}

/** Whether an entry concerns a robot of a fleet, whose subscribers are sent the event. */
function isOfFleetRobot({ subject }: AuditEntry): boolean {
  return subject.robot !== undefined;
}

/** Publishes the event for an entry if it is a command. */
export function publishCommand(events: Events, { action, subject, outcome, client_id, key_id }: AuditEntry): void {
  const { data } = Subject.command.safeParse(subject);
  if (action !== 'command' || !data) return;
  const value = subject.value === undefined ? {} : { value: subject.value };
  events.publish('commands', 'answered', { command: data.command, ...value, outcome, client_id, key_id });
}

function publishNetwork(events: Events, { subject, outcome }: AuditEntry): void {
  const { data } = Subject.network.safeParse(subject);
  if (data)
    events.publish('network', outcome === 'ok' ? 'configured' : 'configure_failed', { ssid: data.ssid, outcome });
}

function publishDatabase(events: Events, { subject }: AuditEntry, verb: string | undefined): void {
  const operation = OPERATIONS.find((known) => known === verb);
  const { data } = Subject.row.safeParse(subject);
  if (!operation || !data) return;
  const { table, key: id = null } = data;
  events.publish('database', 'changed', { table, operation, id }, table === null ? {} : { subject: table });
}

function publishSkill(events: Events, { subject }: AuditEntry, verb: string | undefined): void {
  const { data } = Subject.skill.safeParse(subject);
  if (!data) return;
  const { skill, enabled, new_name } = data;
  const about = (name: string) => ({ subject: name });
  if (verb === 'upload')
    events.publish('skills', 'uploaded', { skill, ...(enabled === undefined ? {} : { enabled }) }, about(skill));
  else if (verb === 'enable') events.publish('skills', enabled ? 'enabled' : 'disabled', { skill }, about(skill));
  else if (verb === 'rename' && new_name !== undefined)
    events.publish('skills', 'renamed', { skill: new_name, previous: skill }, about(new_name));
  else if (verb === 'remove') events.publish('skills', 'removed', { skill }, about(skill));
}
