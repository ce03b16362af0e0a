import { useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { loadCatalogue } from '../state/commands.ts';
import { mayWrite } from '../state/link.ts';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/skills.ts';
import { Card, Empty } from '../ui/card.tsx';
import { Outcome, Problem, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';
import { SkillEditor } from './skill-editor.tsx';

type Skill = components['schemas']['Skill'];

/** The files, with what the service says of each. */
export function SkillFiles() {
  const { value, problem, reload } = useLoad(async (of) => of.skills.list());
  const action = useAction();
  const [asked, setAsked] = useState<string>();
  /** Empty: a new one. */
  const [edited, setEdited] = useState<Skill | 'new'>();
  const [isOver, setOver] = useState(false);
  const changed = async () => {
    await reload();
    if (robot.value) await loadCatalogue(robot.value);
  };
  const upload = (files: FileList | null | undefined) =>
    action.run(async () => {
      const names: string[] = [];
      try {
        for (const file of files ?? []) {
          await robot.value?.skills.upload(file.name, file);
          names.push(file.name);
        }
      } finally {
        await changed();
      }
      return names.length === 0 ? undefined : t.uploaded(names.join(', '));
    });
  const change = (act: () => Promise<unknown>, said?: string) =>
    action.run(async () => {
      setAsked(undefined);
      await act();
      await changed();
      return said;
    });
  if (edited !== undefined) {
    return (
      <SkillEditor
        key={edited === 'new' ? '' : edited.name}
        skill={edited === 'new' ? undefined : edited}
        onSaved={() => void changed()}
        onClose={() => setEdited(undefined)}
      />
    );
  }
  return (
    <Card title={t.files}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a place to drop files; the button beside it does the same */}
      <div
        class={`drop ${isOver ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (mayWrite.value) void upload(event.dataTransfer?.files);
        }}
      >
        <span>{t.drop}</span>
        <div class="row">
          <label class={`file ${mayWrite.value && !action.isBusy ? '' : 'off'}`}>
            <input
              type="file"
              accept=".py"
              multiple
              disabled={!mayWrite.value || action.isBusy}
              onChange={({ currentTarget }) => void upload(currentTarget.files).then(() => (currentTarget.value = ''))}
            />
            {t.choose}
          </label>
          <button type="button" onClick={() => setEdited('new')}>
            {t.newFile}
          </button>
        </div>
      </div>
      <Problem of={problem} />
      <Outcome of={action} />
      {value?.length === 0 && <Empty>{t.none}</Empty>}
      <ul class="rows">
        {value?.map((skill) => (
          <li key={`${skill.name} ${skill.enabled}`}>
            <FileLine of={skill} />
            {skill.manageable !== false && (
              <div class="row">
                <ServiceButton
                  label={skill.enabled ? t.disableOf(skill.name) : t.enableOf(skill.name)}
                  isOff={action.isBusy}
                  onClick={() =>
                    void change(async () => robot.value?.skills[skill.enabled ? 'disable' : 'enable'](skill.name))
                  }
                >
                  {skill.enabled ? t.disable : t.enable}
                </ServiceButton>
                <ServiceButton label={t.editOf(skill.name)} onClick={() => setEdited(skill)}>
                  {t.edit}
                </ServiceButton>
                <ServiceButton
                  label={t.removeOf(skill.name)}
                  isOff={action.isBusy}
                  onClick={() => setAsked(skill.name)}
                >
                  {t.remove}
                </ServiceButton>
              </div>
            )}
            {asked === skill.name && (
              <Sure
                question={t.sureRemove(skill.name)}
                yes={t.remove}
                onYes={() => void change(async () => robot.value?.skills.remove(skill.name), t.removed(skill.name))}
                onNo={() => setAsked(undefined)}
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function FileLine({ of }: { of: Skill }) {
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
