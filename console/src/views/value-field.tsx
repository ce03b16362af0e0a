import { type Column, textOf } from '../state/table-rows.ts';
import { texts as t } from '../texts/database.ts';

/** A row that may be referred to. */
export interface Choice {
  readonly id: unknown;
  readonly name: string;
}

interface ValueFieldProps {
  readonly label: string;
  readonly column: Column;
  readonly text: string;
  readonly choices: readonly Choice[] | undefined;
  readonly onText: (text: string) => void;
}

/** How a value of a column is typed. */
export function ValueField({ label, column, text, choices, onText }: ValueFieldProps) {
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(currentTarget.value);
  const common = { 'aria-label': label, value: text, onInput };
  if (choices) {
    const isKnown = text === '' || choices.some(({ id }) => textOf(id) === text);
    return (
      <select {...common}>
        <option value="" />
        {!isKnown && <option value={text}>{t.missing(text)}</option>}
        {choices.map(({ id, name }) => (
          <option key={textOf(id)} value={textOf(id)}>
            {name === '' ? textOf(id) : `${textOf(id)} · ${name}`}
          </option>
        ))}
      </select>
    );
  }
  if (column.type === 'bool') {
    return (
      <select {...common}>
        <option>false</option>
        <option>true</option>
      </select>
    );
  }
  if (column.type === 'json' || text.length > 60) {
    return <textarea {...common} rows={4} class={column.type === 'json' ? 'mono' : ''} spellcheck={false} />;
  }
  return <input {...common} inputMode={column.type === 'int' ? 'numeric' : 'text'} autocomplete="off" />;
}
