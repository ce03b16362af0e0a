import { createHash } from 'node:crypto';
import { NO_EVENTS } from '../../functions/shared/events/events.port.ts';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import type { RunRecord } from '../../functions/shared/runs/run.schema.ts';
import { Runs, type RunsWorld } from '../../functions/shared/runs/runs.ts';
import type { Job, ProcessListener, Sandbox } from '../../functions/shared/runs/sandbox.port.ts';
import type { RunnableFunction, SkillSources } from '../../functions/shared/runs/skill-source.port.ts';
import { silentLogger } from './world.ts';

export const OWNER = { clientId: 'client-1', keyId: 'key-1', accessLevel: 'USER' } as const;

/** A process of a run that does what the test says. */
export interface FakeProcess {
  readonly job: Job;
  readonly listener: ProcessListener;
  /** What the run has asked of it, in order. */
  readonly asked: string[];
  /** Returns from the function and exits. */
  succeed(result: JsonValue): void;
}

/** A sandbox whose processes only end when they are killed, or when the test ends them. */
export class FakeSandbox implements Sandbox {
  readonly name = 'none';
  readonly processes: FakeProcess[] = [];
  /** Whether processes are ready at once. */
  ready = true;

  async openWorkplace() {
    const nothing = async () => undefined;
    return { folder: '/x', socketPath: '/x/s', eventsPath: '/x/e', handOver: nothing, remove: nothing };
  }

  start(_id: string, _slot: number, job: Job, _workplace: unknown, listener: ProcessListener) {
    const asked: string[] = [];
    let isOver = false;
    const end = (code: number | null, signal: string | null) => {
      if (isOver) return;
      isOver = true;
      listener.ended({ code, signal });
    };
    const succeed = (result: JsonValue) => {
      listener.returned(result);
      end(0, null);
    };
    this.processes.push({ job, listener, asked, succeed });
    if (this.ready) queueMicrotask(() => listener.ready());
    return {
      release: () => void asked.push('release'),
      tell: () => void asked.push('tell'),
      kill: () => {
        asked.push('kill');
        queueMicrotask(() => end(null, 'SIGKILL'));
      },
    };
  }

  async close() {}
}

/** Skills of one function each, called `f`, unless said otherwise. */
export function fakeSources(skills: Record<string, Partial<RunnableFunction>[]>): SkillSources {
  const functionsOf = (skill: string) =>
    (skills[skill] ?? []).map((given) => ({ skill, name: 'f', args: { type: 'object' }, ...given }));
  return {
    list: async () => Object.keys(skills).flatMap(functionsOf),
    read: async (skill) =>
      skills[skill] && {
        bytes: Buffer.from(skill),
        sha256: createHash('sha256').update(skill).digest('hex'),
        functions: functionsOf(skill),
      },
  };
}

export interface FakeRuns {
  readonly runs: Runs;
  readonly sandbox: FakeSandbox;
  readonly records: Map<string, RunRecord>;
  /** What the doors of runs were told: `refuse`, `close`. */
  readonly doors: string[];
}

/** A register of runs with a {@link FakeSandbox}. */
export async function openFakeRuns(
  skills: Record<string, Partial<RunnableFunction>[]> = { greet: [{}] },
  instead: Partial<RunsWorld> & { readonly records?: Map<string, RunRecord> } = {},
): Promise<FakeRuns> {
  const sandbox = new FakeSandbox();
  const { records = new Map<string, RunRecord>(), ...others } = instead;
  const doors: string[] = [];
  const runs = await Runs.open({
    clock: Date.now,
    logger: silentLogger,
    events: NO_EVENTS,
    store: {
      load: async () => [...records.values()],
      save: (record) => void records.set(record.id, record),
      remove: (id) => void records.delete(id),
    },
    sources: fakeSources(skills),
    probe: async () => ({ sandbox }),
    openDoor: async () => ({
      refuse: () => void doors.push('refuse'),
      close: async () => void doors.push('close'),
    }),
    concurrency: 1,
    auditEnd: () => undefined,
    ...others,
  });
  return { runs, sandbox, records, doors };
}
