import { setTimeout as sleep } from 'node:timers/promises';
import { refusedWith } from './bench.ts';
import type { Check } from './check.ts';
import { NotChecked } from './endings.ts';
import { endedFaults, waitFor } from './stop-checks.ts';

/** Longer than any promise of link_loss_ms, and shorter than the time after which brokers give a connection up. */
const CUT_MS = 2_500;
const BACK_MS = 15_000;

export const linkCut: Check = {
  name: 'link-cut',
  title: 'It stops by itself when its link hangs, and refuses what was held back',
  moves: true,
  async run(bench) {
    const { caller, parts, motion } = bench;
    const { proxy } = parts;
    if (!proxy)
      throw new NotChecked('Add --listen PORT, and let the robot connect to that port in place of its broker.');
    if (proxy.connections === 0) throw new NotChecked('The robot is not connected through the port of --listen.');
    if (motion.finishes)
      throw new NotChecked(`${motion.command} continues when the link is lost; name another with --move.`);
    const mission = await bench.move();
    const { fence, session } = caller;
    proxy.cut();
    const held = caller.ask(motion.command, motion.value, { fence }, BACK_MS);
    await sleep(CUT_MS);
    proxy.mend();
    const faults: string[] = [];
    if (!(await bench.until(() => caller.fence > fence, BACK_MS)))
      faults.push(
        `After ${CUT_MS} ms without its broker the robot must have stopped and raised its number; it did not.`,
      );
    const answer = await held;
    // A robot that gave its connection up never received it.
    if (answer.ok !== 'missing' || caller.session === session)
      faults.push(...refusedWith(answer, ['stopped'], 'Motion that the network held back'));
    if (!(await bench.comesToRest(BACK_MS))) faults.push('The robot moves, although its link was cut in the meantime.');
    if (mission !== undefined && faults.length === 0)
      faults.push(
        ...endedFaults(await waitFor(bench, mission), 'the lost link').filter((fault) => !fault.includes('not found')),
      );
    await bench.rest();
    return faults;
  },
};
