import { SYSTEMS, type System } from '../../shared/allowed-units.ts';
import { type ArchiveMember, textMember } from '../../shared/archive/pack.ts';
import { ServiceError } from '../../shared/errors.ts';
import { maskedJson, maskText } from '../../shared/observability/mask-text.ts';
import type { IncidentRequest } from './incident.schema.ts';
import { type LogOf, mergedLines, messageOf } from './merged-logs.ts';
import type { IncidentSources, LogWindow } from './port.ts';

const HOUR_MS = 3_600_000;
/** The logs come in files of about this size, in bytes: an archive says how long a file is before it begins. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Lines are held as bytes, in pieces of about this many characters: long texts stay in memory until a full collection. */
const PIECE_CHARS = 32 * 1024;
/** Units of one computer that are read at the same time: OpenSSH allows ten channels. */
const UNITS_AT_ONCE = 8;

/** What a bundle is about. */
export interface About {
  readonly robot_id: string;
  readonly version: string;
}

/** The units that were asked for, which must be allowed; undefined: all. Error: unit_not_allowed. */
export function requestedLogs(sources: IncidentSources, units: readonly string[] | undefined): LogOf[] | undefined {
  return units?.flatMap((name) => {
    const [first, rest] = name.split('/', 2);
    const among = SYSTEMS.filter((system) => rest === undefined || system === first);
    const found = among
      .map((system) => ({ system, unit: rest ?? name }))
      .filter(({ system, unit }) => sources.isAllowed(system, unit));
    if (found.length > 0) return found;
    throw new ServiceError('unit_not_allowed', {
      detail: 'Only units listed in SERVICE_ALLOWED_UNITS can be read; get_services_list lists them.',
    });
  });
}

/** The window that a request means, which ends now unless it says otherwise. */
export function windowOf({ since, until }: IncidentRequest, now: number): LogWindow {
  const end = until === undefined ? now : Date.parse(until);
  return { since: since === undefined ? Math.max(0, end - HOUR_MS) : Date.parse(since), until: end };
}

/**
 * The files of a bundle, made one after the other. Whatever fails is named in the last one, `incident.json`, and the rest
 * is there.
 */
export async function* incidentMembers(
  sources: IncidentSources,
  about: About,
  { logs, window }: { readonly logs: readonly LogOf[] | undefined; readonly window: LogWindow },
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): AsyncGenerator<ArchiveMember> {
  const problems: Array<{ part: string; problem: string }> = [];
  const note = (part: string, problem: string) => void problems.push({ part, problem });
  for (const { path, read } of sources.documents) {
    try {
      const content = await read(signal);
      yield textMember(path, typeof content === 'string' ? maskText(content) : maskedJson(content), now);
    } catch (error) {
      signal.throwIfAborted();
      note(path, messageOf(error));
    }
  }
  const wanted = logs ?? (await everyLog(sources, note, signal));
  const groups = inGroups(wanted);
  let files = 0;
  for (const group of groups) {
    for await (const file of inFiles(mergedLines(sources, group, window, note, signal))) {
      files += 1;
      yield { path: `logs/${String(files).padStart(4, '0')}.log`, modifiedAt: now, ...file };
    }
  }
  const summary = {
    ...about,
    created_at: now.toISOString(),
    since: new Date(window.since).toISOString(),
    until: new Date(window.until).toISOString(),
    logs: groups.map((group) => group.map(({ system, unit }) => `${system}/${unit}`)),
    log_lines: 'time, computer, unit, syslog severity, [process id], message; each group is merged by time',
    problems,
  };
  yield textMember('incident.json', `${JSON.stringify(summary, null, 2)}\n`, now);
}

async function everyLog(
  sources: IncidentSources,
  note: (part: string, problem: string) => void,
  signal: AbortSignal,
): Promise<LogOf[]> {
  const found = await Promise.all(
    SYSTEMS.map(async (system: System) => {
      try {
        return (await sources.units(system, signal)).map((unit) => ({ system, unit }));
      } catch (error) {
        signal.throwIfAborted();
        note(`logs of ${system}`, messageOf(error));
        return [];
      }
    }),
  );
  return found.flat();
}

/** So many units of each computer together, in one group where they fit. */
function inGroups(logs: readonly LogOf[]): LogOf[][] {
  const groups: LogOf[][] = [];
  for (const system of SYSTEMS) {
    const own = logs.filter((log) => log.system === system);
    for (let at = 0; at < own.length; at += UNITS_AT_ONCE) {
      const index = at / UNITS_AT_ONCE;
      groups[index] = [...(groups[index] ?? []), ...own.slice(at, at + UNITS_AT_ONCE)];
    }
  }
  return groups;
}

async function* inFiles(lines: AsyncIterable<string>): AsyncGenerator<Pick<ArchiveMember, 'size' | 'body'>> {
  let body: Buffer[] = [];
  let size = 0;
  for await (const piece of inPieces(lines)) {
    body.push(piece);
    size += piece.length;
    if (size < FILE_BYTES) continue;
    yield { size, body };
    [body, size] = [[], 0];
  }
  if (size > 0) yield { size, body };
}

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < PIECE_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
