import * as yaml from 'js-yaml';
import type { JsonObject, JsonPath, JsonValue } from '../../../kit/json.ts';
import { messagesFor } from '../../../pipeline/issue-messages.ts';
import { CALLED, MISSION_RESULTS, SENT } from '../../documented-results.ts';
import { type CommandKind, type CommandSpec, motionOf } from '../../port.ts';
import type { ValueType } from './filters.ts';
import { keyLines } from './key-lines.ts';
import {
  type ActionEntry,
  type CommandEntry,
  MappingFile,
  type MissionWay,
  type PublishEntry,
  type RelativeToEntry,
  type ServiceEntry,
  type StillEntry,
  type TopicEntry,
  typeFaults,
} from './mapping.schema.ts';
import { compileReports, type ReportPlan } from './report-plan.ts';
import { compileTemplate, type Roots, type Template, TemplateFault } from './template.ts';

export type ServiceCall = Omit<ServiceEntry, 'args' | 'success' | 'message'> & {
  readonly args: Template;
  readonly success?: Template;
  readonly message?: Template;
};
export type MappedPublication = Omit<PublishEntry, 'message'> & { readonly message: Template };
export type ActionGoal = Omit<ActionEntry, 'goal'> & { readonly goal: Template };

/** What a command is on the robot's side. */
export type Way =
  | { readonly way: 'service'; readonly service: ServiceCall }
  | { readonly way: 'publish'; readonly publish: MappedPublication }
  | { readonly way: 'action'; readonly action: ActionGoal }
  | { readonly way: 'topic'; readonly topic: TopicEntry }
  | { readonly way: 'mission'; readonly mission: MissionWay };

export interface MappedCommand {
  readonly spec: CommandSpec;
  readonly way: Way;
  readonly relativeTo?: RelativeToEntry;
  /** How the answer is made; absent: as it came. */
  readonly result?: Template;
}

interface StopPlan {
  /** Names of actions besides those of the commands. */
  readonly cancel: readonly string[];
  readonly publish: readonly MappedPublication[];
  readonly service: readonly ServiceCall[];
  readonly still?: StillEntry;
}

/** The robot as the mapping describes it, every template checked. */
export interface Mapping {
  readonly ros: 1 | 2;
  readonly commands: ReadonlyMap<string, MappedCommand>;
  readonly stop: StopPlan;
  /** The place of `stop` in the file, when nothing there lets the robot confirm that it has stopped. */
  readonly unconfirmedStop?: string;
  readonly reports: ReportPlan;
  /** The place of `jog` in the file, when it promises no watchdog that is short enough. */
  readonly unguardedJog?: string;
}

/** A mapping that cannot be used; each line names the place and what is wrong there. */
export class MappingFault extends Error {
  override readonly name = 'MappingFault';
}

const MAX_FAULTS = 10;
const VALUE_TYPES: Record<Exclude<CommandKind, 'none'>, ValueType> = {
  coordinates: 'object',
  str: 'string',
  int: 'number',
  float: 'number',
  bool: 'boolean',
  dict: 'object',
  list: 'list',
};

/** Reads a mapping. @throws MappingFault naming line and key of each fault. */
export function parseMapping(text: string): Mapping {
  const document = load(text);
  const parsed = MappingFile.safeParse(document, messagesFor('document'));
  const faults: Array<{ path: JsonPath; message: string }> = [];
  let mapping: Mapping | undefined;
  if (parsed.success) {
    faults.push(...typeFaults(parsed.data));
    mapping = compile(parsed.data, faults);
  } else {
    for (const issue of parsed.error.issues) {
      const path = issue.path.map(String);
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
      for (const key of unknown) faults.push({ path: [...path, key], message: 'this key is not known here' });
      if (unknown.length === 0) faults.push({ path, message: issue.message });
    }
  }
  const lineOf = keyLines(text);
  if (mapping && faults.length === 0) {
    const hasJog = parsed.data?.jog !== undefined;
    return {
      ...mapping,
      ...(!confirmsStop(mapping) && { unconfirmedStop: `line ${lineOf(['stop'])}, stop` }),
      ...(hasJog && !mapping.reports.jog && { unguardedJog: `line ${lineOf(['jog'])}, jog` }),
    };
  }
  const lines = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => `line ${lineOf(path)}${path.length > 0 ? `, ${path.join('.')}` : ''}: ${message}`);
  throw new MappingFault(lines.join('; '));
}

function load(text: string): unknown {
  try {
    return yaml.load(text, { schema: yaml.CORE_SCHEMA.withTags(yaml.mergeTag) });
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    throw new MappingFault(`line ${(error.mark?.line ?? 0) + 1}: ${error.reason}`, { cause: error });
  }
}

type Faults = Array<{ path: JsonPath; message: string }>;

function compile(file: MappingFile, faults: Faults): Mapping {
  const { ros, stop, commands } = file;
  /** A template at its place in the file; undefined after a fault, which is noted. */
  const template = (source: JsonValue, roots: Roots, path: JsonPath, type: ValueType = 'any'): Template => {
    try {
      const compiled = compileTemplate(source, roots);
      if (type === 'any' || compiled.type === type || compiled.type === 'any') return compiled;
      faults.push({ path, message: `this has to be ${type === 'object' ? 'an' : 'a'} ${type}` });
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      faults.push({ path: [...path, ...error.path], message: error.message });
    }
    return { type: 'any', fill: () => null };
  };
  const service = ({ args, success, message, ...rest }: ServiceEntry, roots: Roots, path: JsonPath): ServiceCall => {
    const answered = { ...roots, answer: 'any' } as const;
    return {
      ...rest,
      args: template(args, roots, [...path, 'args'], 'object'),
      ...(success && { success: template(success, answered, [...path, 'success'], 'boolean') }),
      ...(message && { message: template(message, answered, [...path, 'message']) }),
    };
  };
  const publication = ({ message, ...rest }: PublishEntry, roots: Roots, path: JsonPath): MappedPublication => ({
    ...rest,
    message: template(message, roots, [...path, 'message'], 'object'),
  });
  const wayOf = (
    { service: call, publish, action, topic, mission }: CommandEntry,
    roots: Roots,
    path: JsonPath,
  ): Way => {
    if (call) return { way: 'service', service: service(call, roots, [...path, 'service']) };
    if (publish) return { way: 'publish', publish: publication(publish, roots, [...path, 'publish']) };
    if (action) {
      const goal = template(action.goal, roots, [...path, 'action', 'goal'], 'object');
      return { way: 'action', action: { ...action, goal } };
    }
    if (topic) return { way: 'topic', topic };
    if (mission) return { way: 'mission', mission };
    throw new Error('the schema lets no command without a way pass');
  };
  const entries = Object.entries(commands).map(([name, entry]): readonly [string, MappedCommand] => {
    const path = ['commands', name];
    const roots = { ...rootsOf(entry.kind), ...(entry.relative_to && { frame: 'string' as const }) };
    const way = wayOf(entry, roots, path);
    const spec = specOf(name, entry, way);
    const answered: Roots = { ...roots, answer: 'any', ...(way.way === 'action' ? { id: 'string' as const } : {}) };
    const result = entry.result === undefined ? undefined : template(entry.result, answered, [...path, 'result']);
    return [
      name,
      { spec, way, ...(entry.relative_to && { relativeTo: entry.relative_to }), ...(result && { result }) },
    ];
  });
  return {
    ros,
    commands: new Map(entries),
    stop: {
      cancel: stop.cancel,
      publish: stop.publish.map((entry, index) => publication(entry, {}, ['stop', 'publish', index])),
      service: stop.service.map((entry, index) => service(entry, {}, ['stop', 'service', index])),
      ...(stop.still && { still: stop.still }),
    },
    reports: compileReports(file, template),
  };
}

/** Whether the robot can say that it has stopped: a service by its answer, or a topic by its speeds. */
function confirmsStop({ stop }: Mapping): boolean {
  return stop.still !== undefined || stop.service.some(({ success }) => success !== undefined);
}

function rootsOf(kind: CommandKind): Roots {
  if (kind === 'none') return {};
  const value = VALUE_TYPES[kind];
  return kind === 'coordinates' ? { value, x: 'number', y: 'number', z: 'number', theta: 'number' } : { value };
}

function specOf(name: string, entry: CommandEntry, way: Way): CommandSpec {
  const { kind, title, bounds, unit, items, args, examples } = entry;
  const asks = way.way === 'topic' || (way.way === 'mission' && way.mission.startsWith('wait'));
  const awaits =
    (way.way === 'action' && way.action.answers === 'finished') ||
    (way.way === 'mission' && way.mission.includes('wait'));
  // What the robot carries out over time moves it, unless the mapping says that it does not.
  const replaces = entry.replaces ?? (DRIVES.has(name) ? true : undefined);
  const moves = replaces ?? (way.way === 'action' ? true : undefined);
  const motion = motionOf({ name, ...entry }) ?? moves ?? (asks || way.way === 'mission' ? false : undefined);
  const result = resultOf(entry, way);
  return {
    name,
    kind,
    title,
    effect: entry.effect ?? (asks ? 'query' : 'action'),
    ...(bounds && { bounds }),
    ...(unit !== undefined && { unit }),
    ...((entry.waits || awaits) && { waits: true as const }),
    ...(items && { items }),
    ...(args && { args }),
    ...(result && { result }),
    ...(examples && { examples }),
    ...(motion !== undefined && { motion }),
    ...(replaces && { replaces }),
  };
}

/** Drives of the base by their names, which all robots have in common. */
const DRIVES: ReadonlySet<string> = new Set(['go_to_absolute', 'go_to_relative']);

/** What the answer looks like, where the mapping or the way of the command determines it. */
function resultOf({ result_schema, result }: CommandEntry, way: Way): JsonObject | undefined {
  if (result_schema || result !== undefined) return result_schema;
  if (way.way === 'mission') return MISSION_RESULTS[way.mission];
  if (way.way === 'publish') return SENT;
  return way.way === 'action' && way.action.answers === 'started' ? CALLED : undefined;
}
