import type { Mapping } from '../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';

/** A topic, service or action of the robot that a mapping names. */
export interface MappedPart {
  /** Topics are published to by the service, or followed by it. */
  readonly is: 'published' | 'followed' | 'service' | 'action';
  /** Where the mapping names it: its keys. */
  readonly place: string;
  readonly name: string;
  readonly type?: string | undefined;
}

/** All that a mapping needs on the robot, in the order of its file. */
export function partsOf({ stop, reports, commands }: Mapping): MappedPart[] {
  const { state, joints, estop, jog } = reports;
  const parts: MappedPart[] = [];
  const add = (is: MappedPart['is'], place: string, name: string, type?: string) => {
    parts.push({ is, place, name, type });
  };
  for (const { name, type } of stop.publish) add('published', 'stop.publish', name, type);
  for (const { name, type } of stop.service) add('service', 'stop.service', name, type);
  for (const name of stop.cancel) add('action', 'stop.cancel', name);
  if (stop.still) add('followed', 'stop.still', stop.still.name, stop.still.type);
  for (const { topic, type } of state) add('followed', 'state', topic, type);
  for (const { topic, type } of joints) add('followed', 'joints', topic, type);
  if (estop) add('followed', 'estop', estop.topic, estop.type);
  if (jog) add('published', 'jog', jog.topic, jog.type);
  for (const [command, { way, relativeTo }] of commands) {
    const place = `commands.${command}.${way.way}`;
    if (way.way === 'service') add('service', place, way.service.name, way.service.type);
    if (way.way === 'publish') add('published', place, way.publish.name, way.publish.type);
    if (way.way === 'topic') add('followed', place, way.topic.name, way.topic.type);
    if (way.way === 'action') add('action', place, way.action.name, way.action.type);
    if (relativeTo) add('followed', `commands.${command}.relative_to`, relativeTo.name, relativeTo.type);
  }
  return parts;
}
