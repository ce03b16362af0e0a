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

interface Surroundings {
  readonly mayMove: boolean;
  /** Gets each outcome at once. */
  readonly tell: (outcome: Outcome) => void;
  /** No check begins any more after this. */
  readonly signal?: AbortSignal;
}

/** Runs checks one after another. */
export async function runChecks<On>(
  checks: ReadonlyArray<Check<On>>,
  bench: On,
  { mayMove, tell, signal }: Surroundings,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    if (signal?.aborted) break;
    const outcome =
      check.moves && !mayMove ? left(check, 'It moves the robot: add --yes.') : await outcomeOf(check, bench);
    outcomes.push(outcome);
    tell(outcome);
  }
  return outcomes;
}

async function outcomeOf<On>(check: Check<On>, bench: On): Promise<Outcome> {
  try {
    return { check, faults: await check.run(bench) };
  } catch (error) {
    if (error instanceof NotChecked) return left(check, error.message);
    if (error instanceof Broken) return { check, faults: [error.message] };
    const why = error instanceof Error ? error.message : String(error);
    return { check, faults: [`The check could not be finished: ${why}.`] };
  }
}

const left = (check: Outcome['check'], notChecked: string): Outcome => ({ check, faults: [], notChecked });
