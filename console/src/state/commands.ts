import { computed, effect, signal } from '@preact/signals';
import { type Command, Declined, type Robot, RobotRestError } from '../../../clients/typescript/src/index.ts';
import { status } from './link.ts';
import { membersOf } from './objects.ts';
import { robot, sentenceOf } from './session.ts';

/** A command that was sent from this page. */
export interface Sent {
  readonly id: number;
  readonly name: string;
  readonly value: unknown;
  readonly at: Date;
  /** Undefined while it is under way. */
  readonly outcome: 'ok' | 'sent' | 'declined' | 'failed' | undefined;
  readonly result?: unknown;
  /** The problem's own sentence. */
  readonly problem?: string | undefined;
  readonly replaced?: boolean;
  readonly ms?: number;
}

/** A skill that the robot can be told to run. */
export interface Skill {
  readonly name: string;
  readonly title: string;
  /** What it takes, described by the robot. */
  readonly takes: Readonly<Record<string, unknown>>;
}

const MAX_SENT = 50;

export const catalogue = signal<readonly Command[] | undefined>();
export const catalogueProblem = signal<string | undefined>();
/** Undefined until the robot has told them. */
export const skills = signal<readonly Skill[] | undefined>();
/** Ids of the places that the robot knows. */
export const locations = signal<readonly string[] | undefined>();
/** Newest first. */
export const sent = signal<readonly Sent[]>([]);

let lastId = 0;
let loads = 0;
const isThere = computed(() => status.value?.robot !== 'disconnected');

/** Fetches what the robot can do, for whoever is signed in; again when it comes back. */
export function watchCatalogue(): void {
  effect(() => {
    const of = robot.value;
    if (of && isThere.value) void loadCatalogue(of);
    else if (of) return;
    else {
      catalogue.value = skills.value = locations.value = undefined;
      sent.value = [];
    }
  });
}

/** Of several at once only the last one counts: an earlier one may be answered later. */
export async function loadCatalogue(of: Robot): Promise<void> {
  loads += 1;
  const own = loads;
  const isCurrent = () => own === loads && of === robot.peek();
  try {
    catalogueProblem.value = undefined;
    const commands = await of.commands();
    if (!isCurrent()) return;
    catalogue.value = commands;
    const known = has('get_skills') ? listOf(await of.command('get_skills'), isSkill) : undefined;
    if (!isCurrent()) return;
    skills.value = known;
    const ids = has('list_all_location_ids') ? listOf(await of.command('list_all_location_ids'), isText) : undefined;
    if (isCurrent()) locations.value = ids;
  } catch (error) {
    if (isCurrent()) catalogueProblem.value = sentenceOf(error);
  }
}

/** Sends a command, and keeps what became of it. It is never sent twice. */
export async function sendCommand(name: string, value: unknown): Promise<void> {
  const of = robot.value;
  if (!of) return;
  lastId += 1;
  const begun = performance.now();
  const entry: Sent = { id: lastId, name, value, at: new Date(), outcome: undefined };
  sent.value = [entry, ...sent.value].slice(0, MAX_SENT);
  const end = (change: Omit<Partial<Sent>, 'id'>) => {
    const ended = { ...entry, ...change, ms: Math.round(performance.now() - begun) };
    sent.value = sent.value.map((one) => (one.id === entry.id ? ended : one));
  };
  try {
    const { ok, result, replaced } = await of.command(name, value);
    end({ outcome: ok === null ? 'sent' : 'ok', result, replaced });
  } catch (error) {
    const answer =
      error instanceof RobotRestError && error.errors.length > 0 ? error.errors.map((one) => one.message) : [];
    const problem = answer.length > 1 ? answer.join(' ') : sentenceOf(error);
    if (error instanceof Declined) end({ outcome: 'declined', problem, result: error.result });
    else end({ outcome: 'failed', problem });
  }
}

function has(name: string): boolean {
  return catalogue.value?.some((command) => command.name === name && command.kind === 'none') ?? false;
}

function listOf<T>({ result }: { result: unknown }, is: (value: unknown) => value is T): T[] | undefined {
  return Array.isArray(result) ? result.filter(is) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isSkill(value: unknown): value is Skill {
  const { name, title, takes } = membersOf(value) ?? {};
  return isText(name) && isText(title) && typeof takes === 'object' && takes !== null;
}
