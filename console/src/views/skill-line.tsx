import { useEffect, useRef, useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { texts as t } from '../texts/skills.ts';
import { Problem, ServiceButton } from '../ui/service-button.tsx';

export type Skill = components['schemas']['Skill'];

/** What the service says of a file. */
export function SkillLine({ of }: { of: Skill }) {
  const names = of.functions.map(({ name }) => name).join(', ');
  return (
    <>
      <div class="row">
        <bdi class="value grow">{of.name}</bdi>
        {of.manageable !== false && (
          <span class={`badge ${of.enabled ? 'good' : ''}`}>{of.enabled ? t.enabled : t.disabled}</span>
        )}
      </div>
      <small class="line muted">
        <bdi>{names === '' ? t.noFunction : t.functions(names)}</bdi> {of.validated === false && t.unchecked}
      </small>
      {of.conflict && <p class="muted">{t.both}</p>}
      <Problem of={of.problem} />
    </>
  );
}

interface RenameFormProps {
  readonly of: Skill;
  readonly isOff: boolean;
  readonly onRename: (name: string) => void;
  readonly onCancel: () => void;
}

/** Asks for the new name of a file; the service refuses one that another file has. */
export function RenameForm({ of, isOff, onRename, onCancel }: RenameFormProps) {
  const [name, setName] = useState(of.name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <form
      class="ask calm"
      onSubmit={(event) => {
        event.preventDefault();
        onRename(name);
      }}
      onKeyDown={({ key }) => key === 'Escape' && onCancel()}
    >
      <label>
        {t.newNameOf(of.name)}
        <input
          ref={field}
          value={name}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <div class="row">
        <ServiceButton type="submit" kind="primary" isOff={isOff || name === '' || name === of.name}>
          {t.rename}
        </ServiceButton>
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}
