import { describe, expect, it } from '@jest/globals';
import { isBlockedByStop } from '../../../../functions/commands/run-command.ts';
import { readPresence } from '../../../../functions/shared/robot-link/adapters/mqtt/presence.ts';
import { parseMapping } from '../../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import type { CommandSpec } from '../../../../functions/shared/robot-link/port.ts';

const NAME = 'set_robot_max_velocity';

function overMqtt(marks: object): CommandSpec | undefined {
  const entry = { name: NAME, kind: 'float', title: 'Max', effect: 'action', ...marks };
  const message = { v: 1, online: true, session: 's', catalogue: [entry] };
  return readPresence(Buffer.from(JSON.stringify(message)))?.catalogue.get(NAME);
}

function overRosbridge(marks: string): CommandSpec | undefined {
  const entry = `${NAME}: { title: Max, kind: float, ${marks} service: { name: /max } }`;
  return parseMapping(`ros: 2\nstop:\n  cancel: [/go]\ncommands:\n  ${entry}\n`).commands.get(NAME)?.spec;
}

describe('A command that changes how the robot moves', () => {
  it.each([
    ['MQTT, with an action', overMqtt({})],
    ['MQTT, with what calls itself a query', overMqtt({ effect: 'query' })],
    ['rosbridge, with an action', overRosbridge('')],
    ['rosbridge, with what calls itself a query', overRosbridge('effect: query,')],
  ])('is motion without a mark over %s', (_how, spec) => {
    expect(spec?.motion).toBe(true);
    expect(spec && isBlockedByStop(spec)).toBe(true);
  });

  it('is what its mark says', () => {
    expect([overMqtt({ motion: false })?.motion, overRosbridge('motion: false,')?.motion]).toEqual([false, false]);
  });
});
