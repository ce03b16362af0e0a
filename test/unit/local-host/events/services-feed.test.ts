import { describe, expect, it } from '@jest/globals';
import type { ServiceManagers, Unit } from '../../../../functions/system/services/port.ts';
import { servicesFeed } from '../../../../local-host/events/feeds/services.ts';
import { until } from '../../../support/processes.ts';

const unit = (name: string, active_state: string): Unit => ({
  name,
  description: null,
  load_state: 'loaded',
  active_state,
  sub_state: 'x',
  enabled: true,
});

describe('The topic services', () => {
  it('lists the allowed units, then tells what changes, and keeps those of a computer out of reach', async () => {
    let head: Unit[] | Error = [unit('a.service', 'active'), unit('other.service', 'active')];
    const manager = {
      units: async () => {
        if (head instanceof Error) throw head;
        return head;
      },
    };
    const managers = { systems: { head: manager, base: manager } } as unknown as ServiceManagers; // as: units is all that is asked
    const told: unknown[] = [];
    const feed = servicesFeed({
      managers: async () => managers,
      allowed: { head: ['a.service', 'b.service'], base: [] },
      events: { publish: (_topic, verb, data) => void told.push([verb, data]) },
      pollMs: 5,
    });
    const open = feed.open({ name: 'services', topic: 'services', parameters: [] }, () => undefined);
    const a = { system: 'head', name: 'a.service', active_state: 'active', sub_state: 'x' };
    await until('they are listed', () => told.length === 1);
    expect(told).toEqual([['listed', { units: [a] }]]);
    expect(open.snapshot?.()).toEqual({ units: [a] });
    head = new Error('out of reach');
    await new Promise((resolve) => setTimeout(resolve, 30));
    head = [unit('b.service', 'failed')];
    await until('changes are told', () => told.length === 3);
    open.close();
    expect(told.slice(1)).toEqual([
      ['changed', { system: 'head', name: 'b.service', active_state: 'failed', sub_state: 'x' }],
      ['changed', { system: 'head', name: 'a.service', active_state: null, sub_state: null }],
    ]);
  });
});
