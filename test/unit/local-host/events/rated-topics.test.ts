import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JsonValue } from '../../../../functions/shared/kit/json.ts';
import { RatedTopics } from '../../../../local-host/events/dialect/rated-topics.ts';
import { type Listener, TopicBoard } from '../../../../local-host/events/dialect/topic-board.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';

class Recorder implements Listener {
  readonly frames: string[] = [];
  deliver(frame: string): void {
    this.frames.push(frame);
  }
  deliverLatest(_topic: string, frame: string): void {
    this.frames.push(frame);
  }
}

describe('Topics that the robot tells at a rate', () => {
  let asked: string[];
  let answers: Record<string, JsonValue | undefined>;
  let board: TopicBoard;
  let rated: RatedTopics;
  let listener: Recorder;
  const pass = useFakeTimers();

  beforeEach(() => {
    asked = [];
    answers = {};
    board = new TopicBoard();
    listener = new Recorder();
    const topic = (name: string) => {
      asked.push(name);
      return answers[name];
    };
    rated = new RatedTopics(async () => ({ topic }), board);
  });

  function subscribe(topic: 'runes' | 'head_mode' | 'max_velocity'): void {
    board.subscribe(topic, listener);
    rated.joined(topic);
  }

  it('are read while somebody has subscribed, and only those', async () => {
    await pass(1_000);
    expect(asked).toEqual([]);
    subscribe('head_mode');
    await pass(1_000);
    expect(new Set(asked)).toEqual(new Set(['head_mode']));
    board.unsubscribe('head_mode', listener);
    await pass(200);
    const { length } = asked;
    await pass(5_000);
    expect(asked).toHaveLength(length);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('come ten times a second for runes, else when they change and once a second', async () => {
    answers = { runes: [], head_mode: 'idle' };
    subscribe('runes');
    await pass(1_000);
    expect(listener.frames).toHaveLength(10);
    board.unsubscribe('runes', listener);
    listener.frames.length = 0;
    subscribe('head_mode');
    await pass(1_000);
    answers.head_mode = 'nod';
    await pass(100);
    expect(listener.frames.map((text) => JSON.parse(text).data)).toEqual(['idle', 'nod']);
  });

  it('are left out when the robot does not tell them, or says something of another type', async () => {
    answers = { head_mode: 5 };
    subscribe('head_mode');
    subscribe('max_velocity');
    await pass(1_000);
    expect(listener.frames).toEqual([]);
  });
});
