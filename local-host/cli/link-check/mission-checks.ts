import { isJsonObject } from '../../../functions/shared/kit/json.ts';
import { told } from './bench.ts';
import type { Check } from './check.ts';
import { NotChecked } from './endings.ts';
import { endedFaults, waitFor } from './stop-checks.ts';

const WAITS = 50;
const PROBE_MS = 15_000;

export const waits: Check = {
  name: 'waits',
  title: `${WAITS} waits hold up no query, and all end with their mission`,
  moves: true,
  async run(bench) {
    const { caller, catalogue, probe } = bench;
    if (!catalogue.has('wait_for_skill')) throw new NotChecked('The robot has no wait_for_skill.');
    const mission = await bench.move();
    if (mission === undefined)
      throw new NotChecked(`${bench.motion.command} does not answer with the id of a mission.`);
    const pending = Array.from({ length: WAITS }, () => waitFor(bench, mission));
    const answer = await caller.ask(probe, undefined, {}, PROBE_MS);
    const faults =
      answer.ok === true
        ? []
        : [`${probe}, beside ${WAITS} waits: ${told(answer)} Waits need threads of their own, or none.`];
    if (catalogue.has('cancel_skill')) {
      const cancelled = await caller.ask('cancel_skill', mission);
      const result = cancelled.ok === true ? cancelled.result : null;
      if (!isJsonObject(result) || result.cancelled !== true)
        faults.push(`cancel_skill must answer {"cancelled": true} for a mission under way; ${told(cancelled)}`);
      else if (!(await bench.comesToRest()))
        faults.push('A mission that was cancelled must not move the robot any longer.');
    } else await bench.rest();
    const ended = (await Promise.all(pending)).flatMap((each) => endedFaults(each, 'the cancel'));
    if (ended[0] !== undefined) faults.push(`${ended.length} of ${WAITS} waits: ${ended[0]}`);
    await bench.rest();
    return faults;
  },
};
