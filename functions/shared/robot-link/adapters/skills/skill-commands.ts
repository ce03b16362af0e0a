import { DOCUMENTED_RESULTS } from '../../documented-results.ts';
import type { CommandSpec } from '../../port.ts';

/** The commands on skills and missions that the service answers for runs, also where the robot has none of its own. */
const SPECS: readonly CommandSpec[] = (
  [
    { name: 'get_skills', kind: 'none', title: 'Skills of the robot', effect: 'query' },
    { name: 'skill', kind: 'dict', title: 'Call a skill by its name, with its arguments', effect: 'action' },
    {
      name: 'play_sequence',
      kind: 'list',
      title: 'Call skills one after another, by their names',
      effect: 'action',
      items: 'str',
    },
    { name: 'wait_for_skill', kind: 'str', title: 'Wait until a mission is over', effect: 'query', waits: true },
    {
      name: 'wait_for_skill_started',
      kind: 'str',
      title: 'Wait until a mission has started',
      effect: 'query',
      waits: true,
    },
    { name: 'cancel_skill', kind: 'str', title: 'Cancel a mission', effect: 'action' },
    {
      name: 'cancel_and_wait_for_mission',
      kind: 'str',
      title: 'Cancel a mission and wait until it is over',
      effect: 'action',
      waits: true,
    },
    {
      name: 'cancel_client_missions',
      kind: 'none',
      title: 'Cancel every mission of this client',
      effect: 'action',
    },
  ] as const
).map((spec) => ({ ...spec, motion: false, ...DOCUMENTED_RESULTS[spec.name] }));

const completed = new WeakMap<ReadonlyMap<string, CommandSpec>, ReadonlyMap<string, CommandSpec>>();

/** A robot's catalogue with the commands on skills that it lacks. */
export function withSkillCommands(catalogue: ReadonlyMap<string, CommandSpec>): ReadonlyMap<string, CommandSpec> {
  const lacking = SPECS.filter(({ name }) => !catalogue.has(name));
  if (lacking.length === 0) return catalogue;
  const known = completed.get(catalogue);
  if (known?.size === catalogue.size + lacking.length) return known;
  const skill = catalogue.get('skill');
  const added = lacking.map((spec) => {
    if (spec.name !== 'play_sequence' || !skill) return [spec.name, spec] as const;
    const { motion: _motion, ...unmarked } = spec; // it may call skills of the robot itself, and moves as those do
    return [spec.name, { ...unmarked, ...(skill.motion !== undefined && { motion: skill.motion }) }] as const;
  });
  const whole = new Map([...catalogue, ...added]);
  completed.set(catalogue, whole);
  return whole;
}
