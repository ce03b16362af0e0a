import type { Readable } from 'node:stream';
import type { AllowedUnits } from '../../../functions/shared/allowed-units.ts';
import { unavailable } from '../../../functions/shared/errors.ts';
import type { Events } from '../../../functions/shared/events/events.port.ts';
import type { Feed } from '../../../functions/shared/events/feeds.ts';
import type { LogEntry, ServiceManagers } from '../../../functions/system/services/port.ts';
import { allowedSystem } from '../../../functions/system/services/services.ts';

/** Longest message of an event, in characters. */
const MAX_MESSAGE = 8 * 1024;

export interface LogsParts {
  readonly managers: () => Promise<ServiceManagers>;
  readonly allowed: AllowedUnits;
  readonly events: Events;
}

/** The topics `logs/{system}/{unit}`: one journalctl for each unit, however many have subscribed to it. */
export function logsFeed({ managers, allowed, events }: LogsParts): Feed {
  return {
    assertAllowed({ parameters: [system = '', unit = ''] }) {
      allowedSystem(allowed, system, unit);
    },
    open({ parameters: [systemName = '', unit = ''] }, fail) {
      const system = allowedSystem(allowed, systemName, unit);
      const closing = new AbortController();
      const follow = async (): Promise<void> => {
        const entries = await (await managers()).systems[system].follow(unit, {}, closing.signal);
        entries.on('data', ({ message, ...entry }: LogEntry) => {
          const cut = message.slice(0, MAX_MESSAGE);
          events.publish('logs', 'written', { ...entry, message: cut }, { subject: `${system}/${unit}` });
        });
        await ended(entries);
      };
      follow()
        .then(() => unavailable(`journal of ${system}`, 'It is no longer followed. Subscribe again.'))
        .catch((error: unknown) => error)
        .then((error) => {
          if (!closing.signal.aborted) fail(error);
        });
      return { close: () => closing.abort(new Error('Nobody has subscribed any more.')) };
    },
  };
}

function ended(entries: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    entries.once('error', reject).once('close', resolve);
  });
}
