import { useEffect, useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { loadCatalogue } from '../state/commands.ts';
import { isAtLeast, robot } from '../state/session.ts';
import { texts as t } from '../texts/skills.ts';
import { Card, Empty } from '../ui/card.tsx';
import { block, clock } from '../ui/format.ts';
import { Outcome, Problem, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';
import { RunLog } from './run-log.tsx';

type Run = components['schemas']['Run'];

const UNDER_WAY = new Set<string>(['starting', 'running', 'stopping']);
const SHOWN = 20;

/** The last runs, with log and end of each. */
export function Runs() {
  const { value, problem, reload } = useLoad(async (of) =>
    (await of.call('get', '/api/v2/runs/')).runs.slice(0, SHOWN),
  );
  const action = useAction();
  const [opened, setOpened] = useState<string>();
  useRunEvents(() => void reload());
  const [newest] = value ?? [];
  useEffect(() => {
    if (newest && UNDER_WAY.has(newest.state) && isPrivyTo(newest)) setOpened(newest.id);
  }, [newest?.id]);
  const stop = (id: string) =>
    action.run(async () => {
      await robot.value?.call('post', '/api/v2/runs/{run_id}/stop', { path: { run_id: id } });
      await reload();
      return undefined;
    });
  return (
    <Card title={t.runs}>
      <p class="muted">{t.stopHint}</p>
      <Problem of={problem} />
      <Outcome of={action} />
      {value?.length === 0 && <Empty>{t.noRuns}</Empty>}
      <ul class="rows">
        {value?.map((run) => (
          <li key={run.id}>
            <div class="row">
              <span class="grow">
                <bdi class="value">{run.function}</bdi>{' '}
                <span class={`outcome ${outcomeOf(run)}`}>{run.error ? run.error.code : run.state}</span>{' '}
                {run.sandbox === 'none' && <span class="badge warn">{t.noSandbox}</span>}
                <small class="line muted">
                  <bdi>
                    {clock(run.created_at)} · {run.skill}.py · {t.by(run.started_by.key_id)}
                  </bdi>
                </small>
              </span>
              {UNDER_WAY.has(run.state) && (
                <ServiceButton
                  kind="danger"
                  label={t.stopOf(run.function)}
                  isOff={action.isBusy || run.state === 'stopping'}
                  onClick={() => void stop(run.id)}
                >
                  {t.stop}
                </ServiceButton>
              )}
              {isPrivyTo(run) && (
                <button
                  type="button"
                  aria-expanded={opened === run.id}
                  aria-label={t.logOf(run.function)}
                  onClick={() => setOpened(opened === run.id ? undefined : run.id)}
                >
                  {t.log}
                </button>
              )}
            </div>
            {run.error && run.error.message !== '' && (
              <p class="problem">
                <bdi>{run.error.message}</bdi>
              </p>
            )}
            {run.result !== null && run.result !== undefined && <pre>{block(run.result)}</pre>}
            {opened === run.id && <RunLog id={run.id} name={run.function} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Only whoever started it, and ADMIN, see its log: others have no arguments of it either. */
function isPrivyTo({ args }: Run): boolean {
  return args !== null || isAtLeast('ADMIN');
}

function outcomeOf({ state }: Run): string {
  if (state === 'succeeded') return 'ok';
  if (state === 'failed' || state === 'lost') return 'failed';
  return state === 'stopped' ? 'cancelled' : '';
}

/** Called when a run begins or ends; asks again for the skills when one was changed. */
function useRunEvents(changed: () => void): void {
  useEffect(() => {
    const of = robot.peek();
    if (!of) return;
    const over = new AbortController();
    const follow = async () => {
      for await (const event of of.events(['runs', 'skills'], { signal: over.signal })) {
        if (event.kind === 'event' && event.topic === 'skills') void loadCatalogue(of);
        else changed();
      }
    };
    follow().catch(() => undefined); // the list is there without
    return () => over.abort();
  }, []);
}
