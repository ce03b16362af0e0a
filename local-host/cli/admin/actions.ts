import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../entry.ts';
import type { SocketClient } from './socket-client.ts';

/** Parses its words right away and returns the function that does the work. */
export type Action = (words: string[]) => (service: SocketClient) => Promise<void>;
export type Actions = Readonly<Record<string, Action>>;

/**
 * Splits words into options and exactly the named operands.
 * @throws UsageError when one is missing, empty or too many; Node's own for unknown options.
 */
export function parse<O extends NonNullable<ParseArgsConfig['options']>, N extends string>(
  words: string[],
  options: O,
  operands: readonly N[],
) {
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
  const missing = operands[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  if (positionals.length > operands.length) throw new UsageError(`Unexpected "${positionals[operands.length]}".`);
  const empty = operands.find((_name, index) => positionals[index] === '');
  if (empty !== undefined) throw new UsageError(`${empty} is empty.`);
  const given = Object.fromEntries(operands.map((name, index) => [name, positionals[index]]));
  return { values, operands: given as Record<N, string> }; // as: each of them was found above
}

/** A segment of a path. */
export const segment = encodeURIComponent;

/** A query without the members that were not given. */
export function query(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Results go to stdout, one JSON object a line. */
export function print(...results: readonly object[]): void {
  for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** What people should know goes to stderr. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
