import { Gauge, type Registry } from 'prom-client';
import type { EventFace, EventMetrics } from '../../metrics.port.ts';
import { labelledCounter } from './tally.ts';

const FACES: readonly EventFace[] = ['websocket', 'sse', 'dialect'];

/** The counters about events and those who receive them. */
export function createEventMetrics(registry: Registry): EventMetrics {
  const connections = new Gauge({
    name: 'events_connections',
    help: 'Clients that receive events, by face.',
    labelNames: ['face'],
    registers: [registry],
  });
  for (const face of FACES) connections.set({ face }, 0);
  return {
    eventConnections: (face, change) => connections.inc({ face }, change),
    eventsSent: labelledCounter(registry, 'events_sent_total', 'Events handed to connections, by face.', 'face', FACES),
    eventsDropped: labelledCounter(
      registry,
      'events_dropped_total',
      'Events replaced by newer ones for a slow consumer, slow consumers given up, and messages ignored on the events port.',
      'reason',
      ['coalesced', 'overflow', 'ignored'],
    ),
  };
}
