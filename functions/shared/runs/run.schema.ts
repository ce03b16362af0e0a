import * as z from 'zod';
import { EventActor } from '../events/data.schema.ts';
import { Json } from '../kit/json.schema.ts';

export const RUN_STATES = ['starting', 'running', 'stopping', 'succeeded', 'failed', 'stopped', 'lost'] as const;
export const RunState = z
  .enum(RUN_STATES)
  .describe(
    '`succeeded`: the function returned; `failed`: see `error`; `stopped`: somebody ended it; `lost`: the service died',
  );
export type RunState = z.infer<typeof RunState>;

export const SANDBOXES = ['systemd', 'bubblewrap', 'none'] as const;
export const SandboxName = z
  .enum(SANDBOXES)
  .describe(
    'what keeps the skill from the rest of the machine: `systemd` on an installed robot; `none`, in sim mode only: nothing does',
  );
export type SandboxName = z.infer<typeof SandboxName>;

export const FAILURES = [
  'exception',
  'exited',
  'killed',
  'run_timeout',
  'result_too_large',
  'result_not_json',
  'start_failed',
] as const;

export const RunFailure = z
  .object({
    code: z
      .enum(FAILURES)
      .describe('`exited`: it ended before the function returned; `killed`: by a signal, out of memory for instance'),
    message: z.string(),
    last_lines: z.array(z.string()).describe('the end of its output'),
  })
  .meta({ id: 'RunFailure' });
export type RunFailure = Readonly<z.infer<typeof RunFailure>>;

const moment = z.iso.datetime().meta({ example: '2026-11-21T10:00:00.000Z' });

export const Run = z
  .object({
    id: z.uuid().describe('also the id of its mission'),
    state: RunState,
    skill: z.string().describe('the name of the file without `.py`').meta({ example: 'wave_hello' }),
    function: z.string().meta({ example: 'wave_hello' }),
    sha256: z.string().describe('of the file it runs a copy of, in lower-case hex'),
    args: z.record(z.string(), Json).nullable().describe('null for other clients below ADMIN'),
    sandbox: SandboxName,
    created_at: moment,
    started_at: moment.nullable().describe('when the skill was released; null before that'),
    finished_at: moment.nullable(),
    started_by: EventActor,
    result: Json.describe('what the function returned, at most 64 KiB; null for other clients below ADMIN'),
    error: RunFailure.nullable().describe('why it failed; for other clients below ADMIN only its code'),
    truncated: z.boolean().describe('whether the beginning of its log, or of long lines the end, was dropped'),
  })
  .meta({ id: 'Run' });
export type Run = z.infer<typeof Run>;

/** As stored: with its owner, who alone sees the private members. */
export const RunRecord = Run.extend({
  client_id: z.string(),
  /** What the decorator demands, as written. */
  access_level: z.string(),
});
export type RunRecord = z.infer<typeof RunRecord>;

export const RunList = z.object({ runs: z.array(Run) }).meta({ id: 'RunList' });

export const RunLogEntry = z
  .object({
    timestamp: moment,
    stream: z.enum(['stdout', 'stderr']),
    message: z.string().describe('one line, cut at 8 KiB'),
  })
  .meta({ id: 'RunLogEntry' });
export type RunLogEntry = Readonly<z.infer<typeof RunLogEntry>>;

export const RunLogs = z
  .object({
    entries: z.array(RunLogEntry),
    truncated: z.boolean().describe('older lines or ends of lines are missing'),
  })
  .meta({ id: 'RunLogs' });
