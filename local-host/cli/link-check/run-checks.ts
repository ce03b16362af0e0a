import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { Broken, NotChecked } from './endings.ts';
import { jog } from './jog-check.ts';
import { linkCut } from './link-cut-check.ts';
import { clock, garbage, lateCommands, repeated } from './message-checks.ts';
import { waits } from './mission-checks.ts';
import { answers, presence, values } from './presence-check.ts';
import { secondProgram } from './second-program-check.ts';
import { fence, replaced, stopBusy, stopDriven, stopIdle } from './stop-checks.ts';

/** In their order: the last one ends the robot's program. */
export const CHECKS: readonly Check[] = [
  ...[presence, answers, values, lateCommands, clock, repeated, garbage],
  ...[stopIdle, stopBusy, stopDriven, fence, replaced, waits, jog, linkCut, secondProgram],
];

export interface Outcome {
  readonly check: Pick<Check, 'name' | 'title'>;
  readonly faults: readonly string[];
  /** Why it could not be checked. */
  readonly notChecked?: string;
}

/** Runs checks one after another; `tell` gets each outcome at once. */
export async function runChecks(
  checks: readonly Check[],
  bench: Bench,
  mayMove: boolean,
  tell: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const outcome =
      check.moves && !mayMove ? left(check, 'It moves the robot: add --yes.') : await outcomeOf(check, bench);
    outcomes.push(outcome);
    tell(outcome);
  }
  return outcomes;
}

async function outcomeOf(check: Check, bench: Bench): Promise<Outcome> {
  try {
    return { check, faults: await check.run(bench) };
  } catch (error) {
    if (error instanceof NotChecked) return left(check, error.message);
    if (error instanceof Broken) return { check, faults: [error.message] };
    const why = error instanceof Error ? error.message : String(error);
    return { check, faults: [`The check could not be finished: ${why}.`] };
  }
}

const left = (check: Check, notChecked: string): Outcome => ({ check, faults: [], notChecked });
