import '../shared.ts';
import { useId, useState } from 'preact/hooks';
import { ExactNumber, parseExact } from '../state/exact-json.ts';
import { changeLlmConfig, isOutrun, type LlmConfig, readLlmConfig, type Setting } from '../state/llm-config.ts';
import { textOf } from '../state/table-rows.ts';
import { texts as t } from '../texts/language.ts';
import { Card, Empty } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { Outcome, Problem, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';

const editor = () => import('./code-editor.tsx');
const NO_FAULTS = [] as const;

/** The configuration of the language model: its settings as a form, and the file beside it. */
export default function Language() {
  const { value, problem, reload } = useLoad(readLlmConfig);
  if (!value) return <Problem of={problem} />;
  return (
    <div class="grid">
      <Form of={value} onChange={reload} />
      <Card title={t.yaml} aside={<ServiceButton onClick={() => void reload()}>{t.reload}</ServiceButton>}>
        <Problem of={problem} />
        <Lazy
          load={editor}
          props={{ text: value.yaml, language: 'yaml', label: t.source, faults: NO_FAULTS, isReadOnly: true }}
        />
        <p class="muted">{t.about}</p>
      </Card>
    </div>
  );
}

function Form({ of, onChange }: { of: LlmConfig; onChange: () => Promise<void> }) {
  const action = useAction();
  const [edited, setEdited] = useState<string>();
  const save = (key: string, next: unknown) =>
    action.run(async () => {
      try {
        const before = await changeLlmConfig(key, next, of.tag);
        setEdited((current) => (current === key ? undefined : current)); // another may be open by now
        return t.saved(key, before === null ? t.nothing : textOf(before));
      } catch (error) {
        throw isOutrun(error) ? new Error(t.conflict) : error;
      } finally {
        await onChange();
      }
    });
  return (
    <Card title={t.form}>
      <Outcome of={action} />
      {of.settings.length === 0 && <Empty>{t.none}</Empty>}
      <ul class="rows">
        {of.settings.map((setting) => (
          <li key={setting.key}>
            {edited === setting.key ? (
              <SettingEditor
                of={setting}
                isOff={action.isBusy}
                onSave={(next) => void save(setting.key, next)}
                onCancel={() => setEdited(undefined)}
              />
            ) : (
              <button
                type="button"
                class="setting"
                onClick={() => {
                  action.forget();
                  setEdited(setting.key);
                }}
              >
                <bdi class="muted">{setting.key}</bdi>{' '}
                <bdi class="value">{setting.value === null ? t.nothing : textOf(setting.value)}</bdi>
                <span class="sr-only"> {t.edit(setting.key)}</span>
                <Icon name="edit" />
              </button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface SettingEditorProps {
  readonly of: Setting;
  readonly isOff: boolean;
  readonly onSave: (value: unknown) => void;
  readonly onCancel: () => void;
}

/** The service takes a value of the type that the setting has; what was typed stays while others change the file. */
function SettingEditor({ of: { key, value }, isOff, onSave, onCancel }: SettingEditorProps) {
  const id = useId();
  const [text, setText] = useState(textOf(value));
  const [problem, setProblem] = useState<string>();
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    setText(currentTarget.value);
  const submit = (event: Event) => {
    event.preventDefault();
    try {
      onSave(parse(text, value));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form onSubmit={submit}>
      <div class="field">
        <label for={id}>
          <bdi>{key}</bdi>
        </label>
        {typeof value === 'boolean' ? (
          <select id={id} value={text} onChange={onInput}>
            <option>true</option>
            <option>false</option>
          </select>
        ) : isNumber(value) ? (
          <input id={id} inputMode="decimal" value={text} onInput={onInput} />
        ) : (
          <textarea
            id={id}
            rows={text.length > 60 || typeof value === 'object' ? 5 : 1}
            class={typeof value === 'object' ? 'mono' : ''}
            value={text}
            onInput={onInput}
          />
        )}
      </div>
      <Problem of={problem} />
      <div class="row">
        <ServiceButton type="submit" kind="primary" isOff={isOff}>
          {t.save}
        </ServiceButton>
        <ServiceButton isOff={isOff} onClick={() => onSave(null)}>
          {t.asNull}
        </ServiceButton>
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}

function parse(text: string, like: unknown): unknown {
  if (typeof like === 'string') return text;
  if (isNumber(like) && (text.trim() === '' || !Number.isFinite(Number(text)))) throw new Error(t.notNumber);
  try {
    return parseExact(text);
  } catch {
    if (like === null) return text; // any type will do
    throw new Error(t.notJson);
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}
