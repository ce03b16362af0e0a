import { useEffect, useRef, useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { RobotRestError } from '../../../clients/typescript/src/index.ts';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/skills.ts';
import { Card } from '../ui/card.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { Outcome, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import type { Fault } from './code-editor.tsx';

const editor = () => import('./code-editor.tsx');
const NO_FAULTS: readonly Fault[] = [];
/** As the service says where a source is no Python. */
const PLACE = /^line (\d+), (?:column (\d+): )?(.*)$/s;
/** A name that stores it disabled. */
const DISABLED = 'disabled.';

interface SkillEditorProps {
  /** Undefined: a new one. */
  readonly skill: components['schemas']['Skill'] | undefined;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Changes the source of a skill; the service checks it when it is saved, and stores nothing that is wrong. */
export function SkillEditor({ skill, onSaved, onClose }: SkillEditorProps) {
  const action = useAction();
  const [name, setName] = useState(skill?.name ?? t.newName);
  const [source, setSource] = useState<string | undefined>(skill ? undefined : t.template);
  const text = useRef(source ?? '');
  const [isChanged, setChanged] = useState(skill === undefined);
  const [isLeaving, setLeaving] = useState(false);
  const [faults, setFaults] = useState(NO_FAULTS);
  const seen = useRef(skill?.sha256);
  useEffect(() => {
    // It takes the place of a list that may have been scrolled.
    document.querySelector('.editor')?.scrollIntoView({ block: 'start' });
    if (!skill) return;
    void action.run(async () => {
      const loaded = await robot.value?.skills.download(skill.name);
      text.current = loaded ?? '';
      setSource(loaded);
      return undefined;
    });
  }, []);
  const save = () =>
    action.run(async () => {
      setFaults(NO_FAULTS);
      await assertUnchanged(name, seen);
      try {
        const stored = await robot.value?.skills.upload(skill && !skill.enabled ? DISABLED + name : name, text.current);
        seen.current = stored?.sha256;
      } catch (error) {
        setFaults(faultsOf(error));
        throw error;
      }
      setChanged(false);
      onSaved();
      return t.saved(name);
    });
  return (
    <Card title={t.editing(name)} class="editor">
      {!skill && (
        <label>
          {t.name}
          <input value={name} spellcheck={false} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
      )}
      {source !== undefined && (
        <Lazy
          load={editor}
          props={{
            text: source,
            language: 'python',
            label: t.source(skill?.name ?? t.newFile),
            faults,
            onText: (next) => {
              text.current = next;
              setChanged(true);
            },
          }}
        />
      )}
      <Outcome of={action} />
      <div class="row">
        <ServiceButton
          kind="primary"
          isOff={action.isBusy || !isChanged || source === undefined}
          onClick={() => void save()}
        >
          {t.save}
        </ServiceButton>
        <button type="button" onClick={() => (isChanged && source !== undefined ? setLeaving(true) : onClose())}>
          {t.close}
        </button>
      </div>
      {isLeaving && <Sure question={t.discardSure} yes={t.discard} onYes={onClose} onNo={() => setLeaving(false)} />}
    </Card>
  );
}

/** Refuses once where the file is another than the one that was opened. */
async function assertUnchanged(name: string, seen: { current: string | null | undefined }): Promise<void> {
  const skills = (await robot.value?.skills.list()) ?? [];
  const present = skills.find((one) => one.name === name)?.sha256;
  if (present === seen.current) return;
  seen.current = present;
  throw new Error(t.changed);
}

function faultsOf(error: unknown): readonly Fault[] {
  if (!(error instanceof RobotRestError)) return NO_FAULTS;
  return error.errors.flatMap(({ message }) => {
    const [, line, column, what] = PLACE.exec(message) ?? [];
    if (line === undefined || what === undefined) return [];
    return [{ line: Number(line), column: column === undefined ? undefined : Number(column), message: what }];
  });
}
