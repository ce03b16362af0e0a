import { expect } from '@jest/globals';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import { asClient, openSimulatedRobot } from './robot.ts';

export const NOT_FOUND = {
  awaited: false,
  start_result: { started: false, msg: 'Mission not found' },
  msg: 'Mission not found',
};

export const FINISHED = {
  awaited: true,
  start_result: { started: true, msg: 'Mission started' },
  msg: 'Mission finished',
};

/** A simulated robot and two of its clients. */
export function world() {
  const robot = openSimulatedRobot(Date.now);
  const alice = asClient(robot, 'alice');
  const bob = asClient(robot, 'bob');
  return { robot, alice, bob };
}

/** The id of a mission from the answer that called it. */
export function idOf(called: JsonValue | Promise<JsonValue>): string {
  expect(called).toEqual({ called: true, msg: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  return (called as { msg: string }).msg; // as: just checked
}
