import '../shared.ts';
import { useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { texts as t } from '../texts/logs.ts';
import { Card, Empty } from '../ui/card.tsx';
import { Problem } from '../ui/service-button.tsx';
import { useLoad } from '../ui/use-load.ts';
import { LogPane } from './log-pane.tsx';

type Units = readonly components['schemas']['ServiceUnit'][] | components['schemas']['SystemUnavailable'];

/** The logs of head and base side by side. */
export default function Logs() {
  const { value, problem } = useLoad((of) => of.call('get', '/api/v2/service/get_services_list'));
  return (
    <>
      <Problem of={problem} />
      {value && (
        <div class="grid logs">
          {(['head', 'base'] as const).map((system) => (
            // as: generators of types cannot take what is a list or an object
            <System key={system} system={system} units={value[system] as Units} />
          ))}
        </div>
      )}
    </>
  );
}

function System({ system, units }: { system: 'head' | 'base'; units: Units }) {
  const names = 'available' in units ? [] : units.map(({ name }) => name);
  const [chosen, setChosen] = useState(names[0]);
  if (chosen === undefined) {
    return (
      <Card title={t.systems[system]}>
        <Empty>{'available' in units ? `${t.unavailable} ${units.reason}` : t.none}</Empty>
      </Card>
    );
  }
  return (
    <Card title={t.systems[system]} class="log-card">
      <label>
        {t.unit}
        <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <LogPane key={chosen} system={system} unit={chosen} />
    </Card>
  );
}
