import { type Events, shortClientId } from '../../events/events.port.ts';
import type { MissionObserver, Tracked } from './mission-book.ts';

/** Publishes on the topic `missions` that a client's mission has started or ended. */
export function publishMission(
  events: Events,
  change: Parameters<MissionObserver<Tracked>>[0],
  { id, clientId, skills, message }: Tracked & { readonly clientId: string; readonly skills: readonly string[] },
): void {
  const why = change === 'cancelled' || change === 'failed' ? { message } : {};
  events.publish(
    'missions',
    change,
    { id, skills: [...skills], client: shortClientId(clientId), ...why },
    { subject: id },
  );
}
