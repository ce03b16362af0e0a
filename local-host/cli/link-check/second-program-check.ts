import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { Broken, NotChecked } from './endings.ts';
import type { SecondProgram } from './second-program.ts';

const TAKEOVERS = 6;
/** How long the robot may take to come back: its program waits longer after each connection that it lost. */
const BACK_MS = 12_000;

export const secondProgram: Check = {
  name: 'second-program',
  title: 'It gives way to another program with its id (this ends the program of the robot)',
  moves: true,
  async run(bench: Bench) {
    const open = bench.parts.secondProgram;
    if (!open)
      throw new NotChecked('Add --robot-password-file FILE, so that a second program can sign in as the robot.');
    const second = open();
    try {
      return (await givesWay(bench, second))
        ? []
        : [
            `It took its id back ${TAKEOVERS} times. Two programs would disconnect each other for ever, and a stop reach one of` +
              ' them: give way at the third foreign session within 2 minutes, or at a DISCONNECT with 0x8E.',
          ];
    } finally {
      await second.leave();
    }
  },
};

async function givesWay(bench: Bench, second: SecondProgram): Promise<boolean> {
  for (let round = 0; round < TAKEOVERS; round += 1) {
    if (!(await second.takeOver()))
      throw new Broken('The broker does not let a program with the password of the robot connect.');
    if (!(await bench.until(() => !second.isUp, BACK_MS))) return true;
    // A robot that is disconnected again before it could read who was there in its place has not seen this one.
    if (!(await bench.until(() => isBack(bench, second), BACK_MS))) return true;
  }
  return false;
}

function isBack({ caller }: Bench, second: SecondProgram): boolean {
  return caller.session !== undefined && caller.session !== second.session;
}
