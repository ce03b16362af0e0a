import { useState } from 'preact/hooks';
import { RobotRestError } from '../../../clients/typescript/src/index.ts';
import { sentenceOf } from '../state/session.ts';

export interface Action {
  readonly isBusy: boolean;
  /** Why the last one failed, in the service's own sentences. */
  readonly problem: string | undefined;
  /** What came of the last one. */
  readonly done: string | undefined;
  /** Runs one at a time; it is never sent twice. @returns whether it succeeded. */
  run(act: () => Promise<string | undefined>): Promise<boolean>;
  forget(): void;
}

/** Something that a person does here, and what became of it. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [done, setDone] = useState<string>();
  return {
    isBusy,
    problem,
    done,
    async run(act) {
      if (isBusy) return false;
      setBusy(true);
      setProblem(undefined);
      setDone(undefined);
      try {
        setDone(await act());
        return true;
      } catch (error) {
        setProblem(sentencesOf(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
    forget() {
      setProblem(undefined);
      setDone(undefined);
    },
  };
}

/** With each fault of what was typed. */
export function sentencesOf(error: unknown): string {
  const faults = error instanceof RobotRestError ? error.errors.map(({ message }) => message) : [];
  const sentence = sentenceOf(error);
  return [sentence, ...faults.filter((fault) => !sentence.includes(fault))].join(' ');
}
