import { describe, expect, it } from '@jest/globals';
import type { EventHub } from '../../../../functions/shared/events/hub.ts';
import { testConsumer, testHub } from '../../../support/event-hub.ts';

const joints = (hub: EventHub, position: number) =>
  hub.publish('joints', 'changed', { names: ['head_pan'], positions: [position] });
const row = (hub: EventHub, id: number | string) =>
  hub.publish('database', 'changed', { table: 'sounds_table', operation: 'add', id });

function subscribed(limits?: Parameters<typeof testConsumer>[0]) {
  const { hub } = testHub();
  const consumer = testConsumer(limits);
  const channels = ['joints', 'database'].map((name) => hub.channel(name, 'ADMIN'));
  hub.subscribe(consumer.mailbox, channels);
  consumer.read();
  return { hub, ...consumer };
}

describe('A consumer that does not read', () => {
  it('gets only the newest event of a latest-wins topic later', () => {
    const { hub, read, seen } = subscribed();
    for (let count = 1; count <= 10_000; count += 1) joints(hub, count);
    expect(read().map(({ event }) => event.data.positions)).toEqual([[10_000]]);
    expect(seen).toEqual({ overflows: 0, coalesced: 9_999 });
  });

  it('gets events in the order of their numbers, whatever their topics', () => {
    const { hub, read } = subscribed();
    joints(hub, 1);
    row(hub, 1);
    row(hub, 2);
    joints(hub, 2);
    row(hub, 3);
    expect(read().map(({ event }) => event.id)).toEqual(['boot1-2', 'boot1-3', 'boot1-4', 'boot1-5']);
  });

  it('is given up after 1024 ordered messages', () => {
    const { hub, read, seen } = subscribed();
    for (let count = 0; count < 1024; count += 1) row(hub, count);
    expect(seen.overflows).toBe(0);
    row(hub, 1024);
    row(hub, 1025);
    expect(seen.overflows).toBe(1);
    expect(read()).toEqual([]);
  });

  it('is given up after 1 MiB of ordered messages', () => {
    const { hub, seen } = subscribed();
    for (let count = 0; count < 10; count += 1) row(hub, 'x'.repeat(100 * 1024));
    expect(seen.overflows).toBe(0);
    row(hub, 'x'.repeat(100 * 1024));
    expect(seen.overflows).toBe(1);
  });

  it('may let more than that wait when it is replayed', () => {
    const { hub } = testHub();
    for (let count = 0; count < 5_000; count += 1) row(hub, count);
    const { mailbox, read, seen } = testConsumer();
    hub.subscribe(mailbox, [hub.channel('database', 'ADMIN')], 'boot1-0');
    expect(seen.overflows).toBe(0);
    expect(read()).toHaveLength(5_001);
  });
});
