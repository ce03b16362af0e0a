import '../shared.ts';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { type Found, type Rows, readRows, searchRows } from '../state/table-rows.ts';
import { texts as t } from '../texts/database.ts';
import { Card } from '../ui/card.tsx';
import { Problem, ServiceButton } from '../ui/service-button.tsx';
import { sentencesOf } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';
import { AddRow } from './add-row.tsx';
import { TableGrid } from './table-grid.tsx';
import { TableTools } from './table-tools.tsx';

const PAGE = 50;
const SEARCH_AFTER_MS = 300;

/** Kept while the page is open. */
const chosen = signal('known_locations_table');

/** The tables of the robot, to be read and changed. */
export default function Database() {
  const { value, problem, reload } = useLoad((of) => of.call('get', '/api/v2/database/tables/'));
  const table = value?.tables.find(({ name }) => name === chosen.value) ?? value?.tables[0];
  const [offset, setOffset] = useState(0);
  const [text, setText] = useState('');
  const [changes, setChanges] = useState(0);
  const name = table?.name ?? '';
  const page = useLoad<Rows | undefined>(
    async () => (name === '' ? undefined : readRows(name, PAGE, offset)),
    [name, offset, changes],
  );
  const found = useSearch(name, text, changes);
  const changed = () => {
    setChanges((count) => count + 1);
    void reload();
  };
  if (!value || !table) return <Problem of={problem} />;
  const shown = found.value ?? page.value;
  return (
    <Card title={table.name} class="database">
      <div class="filters">
        <label>
          {t.table}
          <select
            value={table.name}
            onChange={({ currentTarget }) => {
              chosen.value = currentTarget.value;
              setOffset(0);
              setText('');
            }}
          >
            {value.tables.map(({ name: one, rows }) => (
              <option key={one} value={one}>
                {t.option(one, rows)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t.filter}
          <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
      </div>
      <TableTools key={`tools ${name}`} table={table} onChange={changed} />
      <AddRow key={`add ${name}`} table={table} onChange={changed} />
      <Problem of={problem ?? page.problem ?? found.problem} />
      {shown && <TableGrid key={`grid ${name}`} table={table} rows={shown.rows} onChange={changed} />}
      <div class="row pages">
        <p class="caption grow" role="status">
          {captionOf(found.value, page.value, offset)}
        </p>
        {!found.value && (
          <>
            <ServiceButton isOff={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
              {t.earlier}
            </ServiceButton>
            <ServiceButton isOff={offset + PAGE >= (page.value?.total ?? 0)} onClick={() => setOffset(offset + PAGE)}>
              {t.later}
            </ServiceButton>
          </>
        )}
      </div>
    </Card>
  );
}

function captionOf(found: Found | undefined, page: Rows | undefined, offset: number): string {
  if (found) {
    const { rows, read, total, isOver } = found;
    return isOver ? t.found(rows.length, read, total) : t.searching(read, total);
  }
  return page ? t.range(offset + 1, offset + page.rows.length, page.total) : '';
}

/** The rows with a text, once somebody has stopped typing. */
function useSearch(table: string, text: string, changes: number) {
  const [state, setState] = useState<{ readonly value?: Found; readonly problem?: string }>({});
  useEffect(() => {
    if (text === '' || table === '') return setState({});
    const over = new AbortController();
    const timer = setTimeout(async () => {
      try {
        for await (const value of searchRows(table, text, over.signal)) if (!over.signal.aborted) setState({ value });
      } catch (error) {
        if (!over.signal.aborted) setState({ problem: sentencesOf(error) });
      }
    }, SEARCH_AFTER_MS);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [table, text, changes]);
  return state;
}
