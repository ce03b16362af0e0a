import type { JsonObject } from '../../../kit/json.ts';

/** Something the simulated robot can do, and how long it takes. */
export interface Skill {
  readonly name: string;
  readonly title: string;
  readonly noisy: boolean;
  /** What to give besides the name. */
  readonly takes: Readonly<Record<string, string>>;
  /** Seconds it takes with these arguments, or why it cannot be done with them. */
  readonly seconds: (given: JsonObject) => number | string;
}

const MAX_WAIT_SECONDS = 600;
const MAX_TEXT_LENGTH = 1000;
const CHARACTERS_PER_SECOND = 15;

export const SKILLS: ReadonlyMap<string, Skill> = new Map(
  [
    gesture('nod', 'Nod', 1),
    gesture('bow', 'Bow', 2),
    gesture('wave', 'Wave a hand', 3),
    gesture('look_around', 'Look around', 5),
    gesture('dance', 'Dance', 20),
    { ...gesture('sing', 'Sing a song', 12), noisy: true },
    {
      name: 'say',
      title: 'Say a text',
      noisy: true,
      takes: { text: `string of at most ${MAX_TEXT_LENGTH} characters` },
      seconds: ({ text }: JsonObject) =>
        typeof text === 'string' && text.length <= MAX_TEXT_LENGTH
          ? Math.max(0.5, text.length / CHARACTERS_PER_SECOND)
          : `The skill "say" needs a text of at most ${MAX_TEXT_LENGTH} characters`,
    },
    {
      name: 'wait',
      title: 'Do nothing for a while',
      noisy: false,
      takes: { seconds: `number from 0 to ${MAX_WAIT_SECONDS}, 1 when absent` },
      seconds: ({ seconds = 1 }: JsonObject) =>
        typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_WAIT_SECONDS
          ? seconds
          : `The skill "wait" needs seconds from 0 to ${MAX_WAIT_SECONDS}`,
    },
  ].map((skill) => [skill.name, skill]),
);

function gesture(name: string, title: string, seconds: number): Skill {
  return { name, title, noisy: false, takes: {}, seconds: () => seconds };
}

/** One skill of a mission. */
export interface Step {
  readonly name: string;
  readonly seconds: number;
}

/** What a mission is to do: how long and how loud. */
export interface Steps {
  readonly seconds: number;
  readonly noisy: boolean;
  readonly steps: readonly Step[];
}

/** What a mission is to do, or why it cannot be done. */
export type Plan = Steps | { readonly refused: string };

/** Plans skills one after another. */
export function planSkills(given: ReadonlyArray<JsonObject>): Plan {
  const steps: Step[] = [];
  let seconds = 0;
  let noisy = false;
  for (const step of given) {
    const skill = typeof step.name === 'string' ? SKILLS.get(step.name) : undefined;
    if (!skill) return { refused: 'Unknown skill' };
    const taken = skill.seconds(step);
    if (typeof taken === 'string') return { refused: taken };
    steps.push({ name: skill.name, seconds: taken });
    seconds += taken;
    noisy ||= skill.noisy;
  }
  return { seconds, noisy, steps };
}
