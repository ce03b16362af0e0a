import { type AllowedUnits, isAllowed, SYSTEMS } from '../../../functions/shared/allowed-units.ts';
import type { UnitState } from '../../../functions/shared/events/data.schema.ts';
import type { Events } from '../../../functions/shared/events/events.port.ts';
import type { Feed } from '../../../functions/shared/events/feeds.ts';
import type { ServiceManagers } from '../../../functions/system/services/port.ts';

const POLL_MS = 5_000;

export interface ServicesParts {
  readonly managers: () => Promise<ServiceManagers>;
  readonly allowed: AllowedUnits;
  readonly events: Events;
  readonly pollMs?: number;
}

/** The topic `services`: states of the allowed units. A computer that cannot be reached is left out until it can. */
export function servicesFeed({ managers, allowed, events, pollMs = POLL_MS }: ServicesParts): Feed {
  return {
    open() {
      const closing = new AbortController();
      let known: ReadonlyMap<string, UnitState> | undefined;
      let timer: NodeJS.Timeout | undefined;
      const poll = async () => {
        const found = await readUnits(await managers(), allowed, known, closing.signal);
        if (closing.signal.aborted) return;
        if (known) tellChanges(events, known, found);
        else events.publish('services', 'listed', { units: [...found.values()] });
        known = found;
      };
      const run = () => {
        poll()
          .catch(() => undefined) // tried again
          .finally(() => {
            if (!closing.signal.aborted) timer = setTimeout(run, pollMs).unref();
          });
      };
      run();
      return {
        snapshot: () => known && { units: [...known.values()] },
        close() {
          closing.abort();
          clearTimeout(timer);
        },
      };
    },
  };
}

async function readUnits(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  known: ReadonlyMap<string, UnitState> | undefined,
  signal: AbortSignal,
): Promise<Map<string, UnitState>> {
  const found = new Map<string, UnitState>();
  for (const system of SYSTEMS) {
    if (allowed[system].length === 0) continue;
    const units = await systems[system].units(allowed[system], signal).catch(() => undefined);
    const states = units
      ? units
          .filter(({ name }) => isAllowed(allowed[system], name))
          .map(({ name, active_state, sub_state }): UnitState => ({ system, name, active_state, sub_state }))
      : [...(known?.values() ?? [])].filter((state) => state.system === system);
    for (const state of states) found.set(`${system}/${state.name}`, state);
  }
  return found;
}

function tellChanges(
  events: Events,
  known: ReadonlyMap<string, UnitState>,
  found: ReadonlyMap<string, UnitState>,
): void {
  for (const [subject, state] of found) {
    const before = known.get(subject);
    if (before?.active_state === state.active_state && before.sub_state === state.sub_state) continue;
    events.publish('services', 'changed', state, { subject });
  }
  for (const [subject, { system, name }] of known) {
    if (found.has(subject)) continue;
    events.publish('services', 'changed', { system, name, active_state: null, sub_state: null }, { subject });
  }
}
