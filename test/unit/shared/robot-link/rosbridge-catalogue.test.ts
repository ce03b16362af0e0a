import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseMapping } from '../../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import { CALLED, MISSION_RESULTS, SENT } from '../../../../functions/shared/robot-link/documented-results.ts';
import { ROOT } from '../../../support/sources.ts';

const HEAD = 'ros: 2\nstop:\n  cancel: [/go]\ncommands:\n';

describe('The catalogue of a rosbridge robot', () => {
  it('follows from the mapping', () => {
    const { commands } = parseMapping(`${HEAD}
  beep: { title: Beep, kind: int, bounds: { minimum: 1, maximum: 5 }, unit: times, service: { name: /beep, args: { n: $value } } }
  where: { title: Where, kind: none, topic: { name: /pose, type: a/msg/B } }
  go: { title: Go, kind: coordinates, action: { name: /go, type: a/action/Go, answers: finished } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
  names: { title: Names, kind: list, items: str, publish: { name: /names, type: a/msg/B, message: { of: $value } } }
`);
    expect([...commands.values()].map(({ spec }) => spec)).toEqual([
      { name: 'beep', kind: 'int', title: 'Beep', effect: 'action', bounds: { minimum: 1, maximum: 5 }, unit: 'times' },
      { name: 'where', kind: 'none', title: 'Where', effect: 'query', motion: false },
      { name: 'go', kind: 'coordinates', title: 'Go', effect: 'action', waits: true, motion: true },
      {
        name: 'wait_for_skill',
        kind: 'str',
        title: 'Wait',
        effect: 'query',
        waits: true,
        motion: false,
        result: MISSION_RESULTS.wait,
      },
      { name: 'names', kind: 'list', title: 'Names', effect: 'action', items: 'str', result: SENT },
    ]);
  });

  it('carries arguments, result and examples into the catalogue, and knows drives by name or mark', () => {
    const { commands } = parseMapping(`${HEAD}
  go_to_absolute: { title: Go, kind: coordinates, action: { name: /go, type: a/action/Go } }
  spin: { title: Spin, kind: float, replaces: true, publish: { name: /spin, type: a/msg/B } }
  tell:
    title: Tell
    kind: dict
    args: { type: object, required: [what] }
    examples: [{ value: { what: 1 }, result: 2 }]
    result_schema: { type: integer }
    service: { name: /tell }
    result: $answer.n
`);
    expect([...commands.values()].map(({ spec }) => spec)).toEqual([
      expect.objectContaining({ name: 'go_to_absolute', motion: true, replaces: true, result: CALLED }),
      expect.objectContaining({ name: 'spin', motion: true, replaces: true, result: SENT }),
      {
        name: 'tell',
        kind: 'dict',
        title: 'Tell',
        effect: 'action',
        args: { type: 'object', required: ['what'] },
        examples: [{ value: { what: 1 }, result: 2 }],
        result: { type: 'integer' },
      },
    ]);
  });

  it.each(['nav2', 'turtlebot'])('echoes in %s.yaml no value as if the robot had taken it', (name) => {
    const text = readFileSync(join(ROOT, 'examples', 'rosbridge', `${name}.yaml`), 'utf8');
    expect(text.match(/^ *result: .*\$(value|x|y|z|theta)\b/gm)).toBeNull();
    for (const { spec, way, result } of parseMapping(text).commands.values()) {
      if (way.way === 'publish') expect([spec.name, result]).toEqual([spec.name, undefined]);
    }
  });
});
