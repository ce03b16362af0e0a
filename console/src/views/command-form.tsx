import { signal } from '@preact/signals';
import { useId, useState } from 'preact/hooks';
import type { Command } from '../../../clients/typescript/src/index.ts';
import { texts } from '../texts.ts';
import { type Field, fieldsOf, typedOf, valueIn } from '../ui/schema.ts';

const t = texts.commands;

/** What was typed for each command; it stays while the page is open. */
const typed = signal<Readonly<Record<string, Readonly<Record<string, string>>>>>({});

interface CommandFormProps {
  readonly command: Command;
  readonly isOff: boolean;
  readonly onSend: (value: unknown) => void;
}

/** A form from the catalogue's description of a command. */
export function CommandForm({ command, isOff, onSend }: CommandFormProps) {
  const [problem, setProblem] = useState<string>();
  const fields = fieldsOf(command);
  const values = typed.value[command.name] ?? {};
  const set = (next: Readonly<Record<string, string>>) => {
    typed.value = { ...typed.value, [command.name]: next };
  };
  const example = command.examples?.find((one) => one.value !== undefined);
  const submit = (event: Event) => {
    event.preventDefault();
    try {
      const value = valueIn(fields, values);
      setProblem(undefined);
      onSend(value);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      {fields.length === 0 && <p class="muted">{t.noValue}</p>}
      {fields.map((field) => (
        <Input
          key={field.name}
          field={field}
          text={values[field.name] ?? ''}
          onText={(text) => set({ ...values, [field.name]: text })}
        />
      ))}
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="row">
        <button type="submit" class="primary" disabled={isOff}>
          {command.effect === 'query' ? t.ask : t.run}
        </button>
        {example && fields.length > 0 && (
          <button type="button" onClick={() => set(typedOf(fields, example.value))}>
            {t.example}
          </button>
        )}
      </div>
    </form>
  );
}

interface InputProps {
  readonly field: Field;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function Input({ field, text, onText }: InputProps) {
  const id = useId();
  const { kind, title, unit, about, minimum, maximum } = field;
  const hints = [
    unit,
    minimum !== undefined && maximum !== undefined && t.between(String(minimum), String(maximum)),
    kind === 'json' && t.json,
    kind === 'lines' && t.list,
    about,
  ].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>
        <bdi>{title}</bdi> {hints.length > 0 && <bdi class="muted">{hints.join(', ')}</bdi>}
      </label>
      <Control id={id} field={field} text={text} onText={onText} />
    </div>
  );
}

function Control({ id, field, text, onText }: InputProps & { readonly id: string }) {
  const { kind, isNeeded, minimum, maximum, choices } = field;
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(currentTarget.value);
  switch (kind) {
    case 'number':
    case 'integer':
      return (
        <input
          id={id}
          type="number"
          step={kind === 'integer' ? 1 : 'any'}
          min={minimum}
          max={maximum}
          inputMode={kind === 'integer' ? 'numeric' : 'decimal'}
          value={text}
          onInput={onInput}
        />
      );
    case 'yes-no':
    case 'choice': {
      const options =
        kind === 'choice'
          ? choices.map((choice, n) => [String(n), String(choice)])
          : [
              ['true', t.yes],
              ['false', t.no],
            ];
      return (
        <select id={id} value={text} onChange={onInput}>
          <option value="">{isNeeded ? '' : t.unset}</option>
          {options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      );
    }
    case 'lines':
    case 'json':
      return <textarea id={id} rows={4} class="mono" spellcheck={false} value={text} onInput={onInput} />;
    default:
      return <input id={id} type="text" autocomplete="off" value={text} onInput={onInput} />;
  }
}
