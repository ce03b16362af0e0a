import type { ActionForm } from './action-form.ts';
import type { Mapping } from './mapping.ts';
import type { Topics } from './topics.ts';

/** Announces the topics and actions of the mapping. Returns the names of all actions. */
export function prepare(
  { commands, stop }: Mapping,
  { topics, form, stopsOnly }: { topics: Topics; form: ActionForm; stopsOnly: boolean | undefined },
): readonly string[] {
  const actions = new Map(stop.cancel.map((name) => [name, '']));
  const subscription = ({ name, type, throttle_ms }: { name: string; type: string; throttle_ms: number }) => ({
    name,
    type,
    throttleMs: throttle_ms,
  });
  for (const { way, relativeTo } of commands.values()) {
    if (way.way === 'action') actions.set(way.action.name, way.action.type);
    if (stopsOnly) continue;
    if (way.way === 'publish') topics.advertise(way.publish.name, way.publish.type);
    if (way.way === 'topic') topics.follow(subscription(way.topic));
    if (relativeTo) topics.follow(subscription(relativeTo));
  }
  for (const { name, type } of stop.publish) topics.advertise(name, type, 'urgent');
  if (stop.still) topics.follow(subscription(stop.still), 'urgent');
  for (const [name, type] of actions) form.prepare(name, type);
  return [...actions.keys()];
}
