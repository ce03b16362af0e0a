import { RobotRestError } from '../../../clients/typescript/src/index.ts';
import { ask } from './ask.ts';
import { ExactNumber, parseExact, stringifyExact } from './exact-json.ts';
import { membersOf } from './objects.ts';

const PATH = 'api/v2/llm_config/';

/** The configuration, in both forms of one state. */
export interface LlmConfig {
  readonly yaml: string;
  /** Settings that have a value of their own, by their full name. */
  readonly settings: readonly Setting[];
  /** Of the file: a change names the one that it was made from. */
  readonly tag: string;
}

export interface Setting {
  /** Keys of nested maps with dots between them. */
  readonly key: string;
  readonly value: unknown;
}

/** Reads both forms; once more if the file was changed in between. @throws RobotRestError. */
export async function readLlmConfig(): Promise<LlmConfig> {
  for (let attempt = 0; ; attempt += 1) {
    const json = await ask('GET', PATH);
    const yaml = await ask('GET', PATH, { headers: { Accept: 'application/yaml' } });
    const tag = json.headers.get('ETag') ?? '';
    // The tags of the two forms differ in their ends alone.
    const isOne = (yaml.headers.get('ETag') ?? '').startsWith(tag.slice(0, -1));
    if (isOne || attempt === 2) {
      return { yaml: await yaml.text(), settings: settingsOf(parseExact(await json.text())), tag };
    }
  }
}

/** Changes one setting, if the file is still the one that was read. @returns the value before. */
export async function changeLlmConfig(key: string, value: unknown, tag: string): Promise<unknown> {
  const answer = await ask('PATCH', PATH, {
    body: stringifyExact({ command: key, value }),
    type: 'application/json',
    headers: { 'If-Match': tag },
  });
  return membersOf(parseExact(await answer.text()))?.previous;
}

/** Whether somebody else was first. */
export function isOutrun(error: unknown): boolean {
  return error instanceof RobotRestError && error.code === 'precondition_failed';
}

/** A key with a dot of its own can only be named at the top, where it wins; below, it cannot be told from a path. */
function settingsOf(value: unknown, path: readonly string[] = []): Setting[] {
  const members = value instanceof ExactNumber ? undefined : membersOf(value);
  if (!members || (path.length > 0 && Object.keys(members).length === 0)) {
    return path.length === 0 ? [] : [{ key: path.join('.'), value }];
  }
  return Object.entries(members).flatMap(([name, member]) =>
    path.length > 0 && name.includes('.') ? [] : settingsOf(member, [...path, name]),
  );
}
