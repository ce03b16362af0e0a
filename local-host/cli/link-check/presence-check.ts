import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import type { CommandKind, CommandSpec } from '../../../functions/shared/robot-link/catalogue.schema.ts';
import { argsSchema } from '../../../functions/shared/robot-link/command-args.ts';
import { DOCUMENTED_RESULTS } from '../../../functions/shared/robot-link/documented-results.ts';
import { motionOf } from '../../../functions/shared/robot-link/port.ts';
import { refusedWith, told } from './bench.ts';
import type { Check } from './check.ts';

const MAX_EXPIRY_SECONDS = 300;
const MAX_WATCHDOG_MS = 500;
/** Values that do not fit, by kind. */
const MISFITS: Readonly<Record<CommandKind, JsonValue>> = {
  str: 1,
  int: 'x',
  float: 'x',
  bool: 1,
  dict: [1],
  list: { a: 1 },
  coordinates: 'x',
  none: 1,
};

export const presence: Check = {
  name: 'presence',
  title: 'Its presence can be read, entry by entry',
  moves: false,
  async run(bench) {
    const { caller, online } = bench;
    const faults = (caller.presence?.faults ?? []).map(({ pointer, message }) => `${pointer}: ${message}`);
    for (const [index, entry] of online.catalogue.entries()) {
      const spec = typeof entry === 'object' && entry !== null && 'name' in entry ? String(entry.name) : '';
      const known = bench.catalogue.get(spec);
      if (known) faults.push(...entryFaults(known).map((fault) => `/catalogue/${index} (${known.name}): ${fault}`));
    }
    const features = online.features ?? [];
    if (!features.includes('fence')) faults.push('/features: list "fence", and keep the number (see "The fence")');
    else if (online.fence === undefined) faults.push('/fence: the feature "fence" needs the present number here');
    if (!features.includes('begin_by') && [...bench.catalogue.values()].some(({ waits }) => waits))
      faults.push('/features: list "begin_by"; otherwise commands with "waits" may start late');
    if (online.link_loss_ms === undefined)
      faults.push(
        '/link_loss_ms: promise from 1 to 1000: the robot stops by itself when the broker has been silent so long',
      );
    if (online.stop_effect === undefined)
      faults.push('/stop_effect: say hold, limp or brake; people lean on a robot that stands');
    if (online.jog && online.jog.watchdog_ms > MAX_WATCHDOG_MS)
      faults.push(`/jog/watchdog_ms: at most ${MAX_WATCHDOG_MS}, or the robot is not driven by hand`);
    if (caller.presenceExpiry === undefined || caller.presenceExpiry > MAX_EXPIRY_SECONDS)
      faults.push('Presence needs a message expiry (45 s, published again every 15 s), or it outlives the robot.');
    return faults;
  },
};

function entryFaults(spec: CommandSpec): string[] {
  const faults: string[] = [];
  if (spec.effect === 'action' && motionOf(spec) === undefined)
    faults.push('mark it with "motion": true or false; unmarked actions count as motion');
  for (const [index, { value, result }] of (spec.examples ?? []).entries()) {
    if (value !== undefined && spec.args && !argsSchema(spec.args).safeParse(value).success)
      faults.push(`/examples/${index}/value does not match its args`);
    if (result !== undefined && spec.result && !argsSchema(spec.result).safeParse(result).success)
      faults.push(`/examples/${index}/result does not match its result`);
  }
  return faults;
}

export const answers: Check = {
  name: 'answers',
  title: 'Its queries answer as its catalogue says',
  moves: false,
  async run({ caller, catalogue }) {
    const faults: string[] = [];
    for (const { name, kind, effect, waits, result } of catalogue.values()) {
      if (kind !== 'none' || effect !== 'query' || waits) continue;
      const answer = await caller.ask(name);
      if (answer.ok === false && answer.error.code !== 'robot_error') continue;
      if (answer.ok !== true) {
        faults.push(`${name}: ${told(answer)}`);
        continue;
      }
      for (const [whose, schema] of [
        ['of its catalogue entry', result],
        ['that all robots share (docs/mqtt.md, "Missions")', DOCUMENTED_RESULTS[name]?.result],
      ] as const) {
        const problem = schema && argsSchema(schema).safeParse(answer.result).error;
        const [issue] = problem?.issues ?? [];
        if (issue)
          faults.push(
            `${name}: the result does not match the schema ${whose}: /${issue.path.join('/')} ${issue.message}`,
          );
      }
    }
    return faults;
  },
};

export const values: Check = {
  name: 'values',
  title: 'It checks values again',
  moves: false,
  async run({ caller, catalogue, parts }) {
    const unknown = await caller.ask('no_such_command_here');
    const faults = refusedWith(unknown, ['unknown_command'], 'A command that it does not have');
    for (const spec of catalogue.values()) {
      if (motionOf(spec) !== false && spec.effect !== 'query' && !parts.motion) continue; // it might move
      const codes = ['wrong_value_type', 'validation_failed'];
      faults.push(
        ...refusedWith(await caller.ask(spec.name, MISFITS[spec.kind]), codes, `${spec.name} with a wrong value`),
      );
      const { maximum } = spec.bounds ?? {};
      if (maximum === undefined) continue;
      const beyond = await caller.ask(spec.name, maximum + 1);
      faults.push(...refusedWith(beyond, ['validation_failed'], `${spec.name} with ${maximum + 1}`));
    }
    return faults;
  },
};
