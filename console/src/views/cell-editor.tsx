import { useEffect, useRef, useState } from 'preact/hooks';
import { RobotRestError } from '../../../clients/typescript/src/index.ts';
import { type Column, changeCell, readRow, textOf, valueFrom } from '../state/table-rows.ts';
import { texts as t } from '../texts/database.ts';
import { ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { type Choice, ValueField } from './value-field.tsx';

interface CellEditorProps {
  readonly table: string;
  readonly id: unknown;
  readonly column: Column;
  /** As it is shown: whoever saves has seen this. */
  readonly value: unknown;
  /** Of a column that refers to another table. */
  readonly choices: readonly Choice[] | undefined;
  readonly onEnd: (isSaved: boolean) => void;
}

/** One cell while it is changed. What somebody else has written meanwhile is not overwritten unseen. */
export function CellEditor({ table, id, column, value, choices, onEnd }: CellEditorProps) {
  const action = useAction();
  const box = useRef<HTMLFormElement>(null);
  const [text, setText] = useState(textOf(value));
  const seen = useRef(value);
  useEffect(() => {
    const field = box.current?.querySelector<HTMLElement>('input, select, textarea');
    field?.focus();
    if (field instanceof HTMLInputElement) field.select();
  }, []);
  const save = async (next: () => unknown) => {
    const isSaved = await action.run(async () => {
      const wanted = next();
      const present = (await readRow(table, id).catch(orGone))[column.name];
      if (textOf(present) !== textOf(seen.current)) {
        seen.current = present;
        throw new Error(t.changed(column.name, present === null ? t.nothing : textOf(present)));
      }
      await changeCell(table, id, column.name, wanted);
      return t.saved(column.name);
    });
    if (isSaved) onEnd(true);
  };
  return (
    <form
      ref={box}
      class="cell-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save(() => valueFrom(text, column, t.notNumber, t.notJson));
      }}
      onKeyDown={({ key }) => key === 'Escape' && onEnd(false)}
    >
      <p class="label" aria-hidden="true">
        <bdi>{t.cell(column.name, textOf(id))}</bdi>
      </p>
      <ValueField
        label={t.edit(column.name, textOf(id))}
        column={column}
        text={text}
        choices={choices}
        onText={setText}
      />
      <div class="row">
        <ServiceButton type="submit" kind="primary" isOff={action.isBusy}>
          {t.save}
        </ServiceButton>
        {column.nullable && (
          <ServiceButton isOff={action.isBusy} onClick={() => void save(() => null)}>
            {t.asNull}
          </ServiceButton>
        )}
        <button type="button" onClick={() => onEnd(false)}>
          {t.cancel}
        </button>
      </div>
      <p class="problem" role="alert">
        <bdi>{action.problem}</bdi>
      </p>
    </form>
  );
}

function orGone(error: unknown): never {
  throw error instanceof RobotRestError && error.code === 'row_not_found' ? new Error(t.gone) : error;
}
