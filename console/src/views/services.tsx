import '../shared.ts';
import { useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/services.ts';
import { Card, Empty } from '../ui/card.tsx';
import { Outcome, Problem, ServiceButton, Sure } from '../ui/service-button.tsx';
import { type Action, useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';

type Unit = components['schemas']['ServiceUnit'];
type System = 'head' | 'base';
type Units = readonly Unit[] | components['schemas']['SystemUnavailable'];

const EVERY_MS = 3000;

/** The services of both computers, as they are now. */
export default function Services() {
  const { value, problem, reload } = useLoad((of) => of.call('get', '/api/v2/service/get_services_list'), [], EVERY_MS);
  const action = useAction();
  const restart = (system: System, unit: string) =>
    action.run(async () => {
      const path = { system, service_name: unit };
      const answer = await robot.value?.call('post', '/api/v2/service/{system}/{service_name}/restart', { path });
      await reload();
      return answer && t.restarting(unit, answer.active_state);
    });
  return (
    <>
      <Problem of={problem} />
      <Outcome of={action} />
      {value && (
        <div class="grid">
          {(['head', 'base'] as const).map((system) => (
            <Card key={system} title={t.systems[system]}>
              <SystemUnits
                units={value[system] as Units} // as: generators of types cannot take what is a list or an object
                action={action}
                onRestart={(unit) => void restart(system, unit)}
              />
            </Card>
          ))}
        </div>
      )}
    </>
  );
}

interface SystemUnitsProps {
  readonly units: Units;
  readonly action: Action;
  readonly onRestart: (unit: string) => void;
}

function SystemUnits({ units, action, onRestart }: SystemUnitsProps) {
  const [asked, setAsked] = useState<string>();
  if ('available' in units) {
    return (
      <Empty>
        {t.unavailable} <bdi>{units.reason}</bdi>
      </Empty>
    );
  }
  if (units.length === 0) return <Empty>{t.none}</Empty>;
  return (
    <ul class="rows">
      {units.map((unit) => (
        <li key={unit.name}>
          <div class="row">
            <span class={`lamp ${lampOf(unit)}`} aria-hidden="true" />
            <span class="grow">
              <bdi class="value">{unit.name}</bdi>
              <small class="line muted">
                <bdi>{unit.description}</bdi>
              </small>
            </span>
            <span class={`badge ${lampOf(unit)}`}>
              {unit.active_state} ({unit.sub_state})
            </span>
            {asked !== unit.name && (
              <ServiceButton label={t.restartOf(unit.name)} isOff={action.isBusy} onClick={() => setAsked(unit.name)}>
                {t.restart}
              </ServiceButton>
            )}
          </div>
          {asked === unit.name && (
            <Sure
              question={t.sure(unit.name)}
              yes={t.restart}
              onYes={() => {
                setAsked(undefined);
                onRestart(unit.name);
              }}
              onNo={() => setAsked(undefined)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function lampOf({ active_state: state }: Unit): string {
  if (state === 'active') return 'good';
  return state === 'failed' ? 'bad' : 'warn';
}
