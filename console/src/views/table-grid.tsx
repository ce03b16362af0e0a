import { useState } from 'preact/hooks';
import type { Row } from '../../../clients/typescript/src/index.ts';
import { robot } from '../state/session.ts';
import { type Column, type Table, textOf } from '../state/table-rows.ts';
import { texts as t } from '../texts/database.ts';
import { Outcome, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { CellEditor } from './cell-editor.tsx';
import { useReferences } from './use-references.ts';

const KEY = 'id';
const MAX_SHOWN = 80;

interface TableGridProps {
  readonly table: Table;
  readonly rows: readonly Row[];
  readonly onChange: () => void;
}

/** Rows whose cells are changed where they are. */
export function TableGrid({ table, rows, onChange }: TableGridProps) {
  const action = useAction();
  const [edited, setEdited] = useState<{ readonly id: unknown; readonly column: string }>();
  const [asked, setAsked] = useState<unknown>();
  const references = useReferences(table.columns);
  const remove = (id: unknown) =>
    action.run(async () => {
      setAsked(undefined);
      await robot.value?.table(table.name).delete(id);
      onChange();
      return t.removed(textOf(id));
    });
  return (
    <>
      <Outcome of={action} />
      {asked !== undefined && (
        <Sure
          question={t.sureRemove(textOf(asked))}
          yes={t.remove}
          onYes={() => void remove(asked)}
          onNo={() => setAsked(undefined)}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard */}
      <section class="sheet" tabIndex={0} aria-label={t.grid(table.name)}>
        <table>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <Heading key={column.name} of={column} />
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={textOf(row[KEY])}>
                {table.columns.map((column) => (
                  <td key={column.name}>
                    {column.name === KEY ? (
                      <bdi class="value">{textOf(row[KEY])}</bdi>
                    ) : edited?.id === row[KEY] && edited?.column === column.name ? (
                      <CellEditor
                        table={table.name}
                        id={row[KEY]}
                        column={column}
                        value={row[column.name]}
                        choices={references.get(column.references?.table ?? '')}
                        onEnd={(isSaved) => {
                          setEdited(undefined);
                          if (isSaved) onChange();
                        }}
                      />
                    ) : (
                      <button
                        type="button"
                        class="cell"
                        title={textOf(row[column.name])}
                        onClick={() => setEdited({ id: row[KEY], column: column.name })}
                      >
                        <Value of={row[column.name]} />
                        <span class="sr-only"> {t.edit(column.name, textOf(row[KEY]))}</span>
                      </button>
                    )}
                  </td>
                ))}
                <td>
                  <ServiceButton
                    kind="plain"
                    label={t.removeOf(textOf(row[KEY]))}
                    isOff={action.isBusy}
                    onClick={() => setAsked(row[KEY])}
                  >
                    {t.remove}
                  </ServiceButton>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Heading({ of: { name, type, references } }: { of: Column }) {
  const hint = name === KEY ? `${type}, ${t.key}` : references ? t.refersTo(references.table) : type;
  return (
    <th scope="col">
      <bdi>{name}</bdi> <small class="line muted">{hint}</small>
    </th>
  );
}

function Value({ of }: { of: unknown }) {
  if (of === null || of === undefined) return <span class="muted">{t.nothing}</span>;
  const text = textOf(of);
  return <bdi class="value">{text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}</bdi>;
}
