import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mapping } from '../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import { argsSchema } from '../../../functions/shared/robot-link/command-args.ts';
import { DOCUMENTED_RESULTS } from '../../../functions/shared/robot-link/documented-results.ts';
import type { Check } from './check.ts';
import { NotChecked } from './endings.ts';
import { mappedJog } from './mapped-jog-check.ts';
import { mappedParts } from './mapped-parts-check.ts';
import type { MappedBench } from './mapped-robot.ts';

const WATCH_MS = 1_200;

const mapping: Check<MappedBench> = {
  name: 'mapping',
  title: 'The mapping is valid',
  moves: false,
  async run({ robot: { link, mapping: plan } }) {
    return [link.problem?.() ?? [], link.notes?.() ?? [], unreplacedDrives(plan)].flat();
  },
};

/** Commands that repeat velocities where others do: two at once would reach the base in turns. */
function unreplacedDrives({ stop, reports, commands }: Mapping): string[] {
  const velocities = new Set([...stop.publish.map(({ name }) => name), reports.jog?.topic]);
  return [...commands.values()].flatMap(({ spec, way }) => {
    if (way.way !== 'publish' || way.publish.times < 2 || spec.motion === false || spec.replaces) return [];
    if (!velocities.has(way.publish.name)) return [];
    return `${spec.name} repeats messages on ${way.publish.name}, which stops the base too: without "replaces: true" two such commands drive it in turns.`;
  });
}

const answers: Check<MappedBench> = {
  name: 'answers',
  title: 'Its queries answer as its catalogue says',
  moves: false,
  async run({ robot }) {
    const faults: string[] = [];
    for (const { name, kind, effect, waits, result } of robot.catalogue.values()) {
      if (kind !== 'none' || effect !== 'query' || waits) continue;
      const answer = await robot.ask(name);
      if ('fault' in answer) {
        faults.push(`${name}: ${answer.fault}`);
        continue;
      }
      for (const schema of [result, DOCUMENTED_RESULTS[name]?.result]) {
        const [issue] = (schema && argsSchema(schema).safeParse(answer.result).error?.issues) ?? [];
        if (issue) faults.push(`${name}: /${issue.path.join('/')} ${issue.message}; mend "result" in the mapping.`);
      }
    }
    return faults;
  },
};

const stop: Check<MappedBench> = {
  name: 'stop',
  title: 'A stop is confirmed',
  moves: false,
  run: ({ robot }) => robot.stop(),
};

const stopBusy: Check<MappedBench> = {
  name: 'stop-busy',
  title: 'A stop ends the motion under way before it is confirmed',
  moves: true,
  async run({ robot, motion }) {
    if (!motion) throw new NotChecked('The mapping has no motion that could be used; name one with --move NAME=JSON.');
    const { movement } = robot.watch;
    const since = performance.now();
    const answer = await robot.ask(motion.command, motion.value);
    if ('fault' in answer) return [`${motion.command}: ${answer.fault}`, ...(await robot.stop())];
    if (!(await robot.until(() => movement.seen(since)))) {
      const fault = `${motion.command} was accepted, and no movement was reported: "state" of the mapping needs the odometry.`;
      return [fault, ...(await robot.stop())];
    }
    const faults = [...(await robot.stop())];
    if (faults.length > 0) return faults;
    const stoppedAt = performance.now();
    await sleep(WATCH_MS);
    if (movement.count(stoppedAt) === 0)
      return ['A stop was confirmed, and nothing was reported after it that shows the robot at rest.'];
    return movement.seen(stoppedAt)
      ? ['The stop was confirmed while the robot moved: "stop" of the mapping has to end every motion.']
      : [];
  },
};

/** In their order. */
export const MAPPED_CHECKS: ReadonlyArray<Check<MappedBench>> = [
  ...[mapping, mappedParts, answers, stop, stopBusy, mappedJog],
];
