import { describe, expect, it, jest } from '@jest/globals';
import type { EventHub } from '../../../../functions/shared/events/hub.ts';
import type { Mailbox } from '../../../../functions/shared/events/mailbox.ts';
import { refusal } from '../../../support/errors.ts';
import { testConsumer, testHub } from '../../../support/event-hub.ts';

const WAVE = { id: 'm1', skills: ['wave'], client: '0b9e8c1e' };

function subscribe(hub: EventHub, mailbox: Mailbox, topics: readonly string[], after?: string): void {
  hub.subscribe(
    mailbox,
    topics.map((name) => hub.channel(name, 'ENCHANTER')),
    after,
  );
}

const started = (hub: EventHub, id: string) => hub.publish('missions', 'started', { ...WAVE, id }, { subject: id });
const finished = (hub: EventHub, id: string) => hub.publish('missions', 'finished', { ...WAVE, id }, { subject: id });

describe('A subscription', () => {
  it('gives a snapshot, then changes as CloudEvents', () => {
    const { hub } = testHub();
    started(hub, 'm1');
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['missions']);
    finished(hub, 'm1');
    expect(read()).toEqual([
      { type: 'subscribed', topics: ['missions'], position: 'boot1-1' },
      { type: 'snapshot', topic: 'missions', data: { missions: [WAVE] } },
      {
        type: 'event',
        event: {
          specversion: '1.0',
          id: 'boot1-2',
          source: '/robots/pip',
          type: 'robot.missions.finished',
          subject: 'm1',
          time: '2027-03-01T12:00:00.000Z',
          data: WAVE,
        },
      },
    ]);
  });

  it('ends with unsubscribe', () => {
    const { hub } = testHub();
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['missions', 'alerts']);
    read();
    hub.unsubscribe(mailbox, 'missions');
    started(hub, 'm1');
    hub.publish('alerts', 'raised', { alert: 'clock', message: 'Set the time.' });
    expect(read().map(({ event }) => event.type)).toEqual(['robot.alerts.raised']);
  });

  it.each([
    ['nothing', 'validation_failed'],
    ['missions/1', 'validation_failed'],
    ['logs', 'validation_failed'],
    ['__proto__', 'validation_failed'],
    ['database', 'insufficient_access'],
    ['logs/head/a.service', 'insufficient_access'],
    ['audit', 'insufficient_access'],
  ])('to %s is refused for a USER with %s', async (name, code) => {
    expect((await refusal(() => testHub().hub.channel(name, 'USER'))).code).toBe(code);
  });
});

describe('After an interruption', () => {
  it('what was missed is replayed once, in order, and instead of the snapshot', () => {
    const { hub } = testHub();
    started(hub, 'm1');
    hub.publish('alerts', 'raised', { alert: 'clock', message: 'Set the time.' });
    finished(hub, 'm1');
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['alerts', 'missions'], 'boot1-1');
    started(hub, 'm2');
    const [first, ...events] = read();
    expect(first).toMatchObject({ type: 'subscribed', position: 'boot1-3' });
    expect(events.map(({ event }) => event.id)).toEqual(['boot1-2', 'boot1-3', 'boot1-4']);
  });

  it('a channel that is subscribed already is not replayed', () => {
    const { hub } = testHub();
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['missions']);
    started(hub, 'm1');
    subscribe(hub, mailbox, ['missions'], 'boot1-0');
    expect(read().filter(({ type }) => type === 'event')).toHaveLength(1);
  });

  it.each([
    ['of another run', 'boot0-1', null],
    ['that never was', 'boot1-99', null],
    ['without any sense', 'x', null],
    ['that is too old', 'boot1-0', 'boot1-0'],
  ])('an id %s leads to a gap and a snapshot', (_which, after, from) => {
    const { hub } = testHub({ history: { events: 2, characters: 1e6, ageMs: 1e6 } });
    for (const id of ['m1', 'm2', 'm3']) started(hub, id);
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['missions'], after);
    expect(read()).toMatchObject([
      { type: 'subscribed' },
      { type: 'gap', from, to: 'boot1-3', topics: ['missions'] },
      { type: 'snapshot', data: { missions: [{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }] } },
    ]);
  });

  it('the gap names the topics it concerns, and the others are replayed', () => {
    const { hub, clock } = testHub({ history: { events: 100, characters: 1e6, ageMs: 60_000 } });
    started(hub, 'm1');
    clock.advance(59_000);
    hub.publish('alerts', 'raised', { alert: 'clock', message: 'Set the time.' });
    clock.advance(2_000);
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['missions', 'alerts'], 'boot1-0');
    expect(read()).toMatchObject([
      { type: 'subscribed' },
      { type: 'gap', from: 'boot1-0', topics: ['missions'] },
      { type: 'event', event: { id: 'boot1-2' } },
      { type: 'snapshot', topic: 'missions' },
    ]);
  });

  it('a busy topic has not pushed out what happened on the others', () => {
    const { hub } = testHub({ history: { events: 10, characters: 1e6, ageMs: 60_000 } });
    started(hub, 'm1');
    for (let count = 0; count < 50; count += 1) {
      hub.publish('database', 'changed', { table: 'sounds_table', operation: 'add', id: count });
    }
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['missions'], 'boot1-0');
    expect(read().map(({ type }) => type)).toEqual(['subscribed', 'event']);
  });
});

describe('A feed', () => {
  function watched() {
    const { hub } = testHub();
    const open = jest.fn();
    const close = jest.fn();
    let fail: (error: unknown) => void = () => undefined;
    hub.provide('logs', {
      open(channel, failed) {
        open(channel.name);
        fail = failed;
        return { close };
      },
    });
    return { hub, open, close, fail: (error: unknown) => fail(error) };
  }

  it('runs once for all subscribers, and 10 seconds longer than the last of them', () => {
    jest.useFakeTimers();
    try {
      const { hub, open, close } = watched();
      const [one, other] = [testConsumer(), testConsumer()];
      for (const { mailbox } of [one, other]) subscribe(hub, mailbox, ['logs/head/a.service']);
      expect(open).toHaveBeenCalledTimes(1);
      hub.unsubscribe(one.mailbox, 'logs/head/a.service');
      hub.unsubscribe(other.mailbox, 'logs/head/a.service');
      jest.advanceTimersByTime(9_000);
      subscribe(hub, one.mailbox, ['logs/head/a.service'], 'boot1-0');
      jest.advanceTimersByTime(60_000);
      expect(close).not.toHaveBeenCalled();
      hub.unsubscribe(one.mailbox, 'logs/head/a.service');
      jest.advanceTimersByTime(11_000);
      expect([open.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('that had to start anew leads to a gap', () => {
    const { hub } = watched();
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['logs/head/a.service'], 'boot1-0');
    expect(read().map(({ type }) => type)).toEqual(['subscribed', 'gap', 'snapshot']);
  });

  it('that fails is told to its subscribers', () => {
    const { hub, close, fail } = watched();
    const { mailbox, read } = testConsumer();
    subscribe(hub, mailbox, ['logs/head/a.service', 'missions']);
    read();
    fail(new Error('no journal'));
    started(hub, 'm1');
    expect(read()).toMatchObject([
      { type: 'error', code: 'internal_error', topic: 'logs/head/a.service' },
      { type: 'event' },
    ]);
    expect(close).toHaveBeenCalledTimes(1);
  });
});
