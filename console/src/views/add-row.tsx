import { useState } from 'preact/hooks';
import { addRow, type Table, textOf, valueFrom } from '../state/table-rows.ts';
import { texts as t } from '../texts/database.ts';
import { Outcome, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useReferences } from './use-references.ts';
import { ValueField } from './value-field.tsx';

/** A form for a new row; what is left empty takes its default. */
export function AddRow({ table: { name, columns }, onChange }: { table: Table; onChange: () => void }) {
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const references = useReferences(isOpen ? columns : []);
  const add = async () => {
    const isAdded = await action.run(async () => {
      const given = columns.filter((column) => (typed[column.name] ?? '') !== '');
      const item = Object.fromEntries(
        given.map((column) => [column.name, valueFrom(typed[column.name] ?? '', column, t.notNumber, t.notJson)]),
      );
      const row = await addRow(name, item);
      return t.added(textOf(row.id));
    });
    if (!isAdded) return;
    setTyped({});
    setOpen(false);
    onChange();
  };
  if (!isOpen) {
    return (
      <>
        <Outcome of={action} />
        <ServiceButton onClick={() => setOpen(true)}>{t.add}</ServiceButton>
      </>
    );
  }
  return (
    <form
      class="ask calm"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <div class="filters">
        {columns.map((column) => (
          <div key={column.name} class="field">
            <span class="label">
              {column.name} <span class="muted">{column.name === 'id' && column.type === 'int' && t.givenId}</span>
            </span>
            <ValueField
              label={column.name}
              column={column}
              text={typed[column.name] ?? (column.type === 'bool' ? 'false' : '')}
              choices={references.get(column.references?.table ?? '')}
              onText={(text) => setTyped({ ...typed, [column.name]: text })}
            />
          </div>
        ))}
      </div>
      <Outcome of={action} />
      <div class="row">
        <ServiceButton type="submit" kind="primary" isOff={action.isBusy}>
          {t.add}
        </ServiceButton>
        <button type="button" onClick={() => setOpen(false)}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}
