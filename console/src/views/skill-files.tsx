import { useState } from 'preact/hooks';
import { download } from '../state/ask.ts';
import { loadCatalogue } from '../state/commands.ts';
import { mayWrite } from '../state/link.ts';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/skills.ts';
import { Card, Empty } from '../ui/card.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { Outcome, Problem, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';
import { SkillEditor } from './skill-editor.tsx';
import { RenameForm, type Skill, SkillLine } from './skill-line.tsx';

/** The files, with what the service says of each. */
export function SkillFiles() {
  const { value, problem, reload } = useLoad(async (of) => of.skills.list());
  const action = useAction();
  const [asked, setAsked] = useState<string>();
  const [renamed, setRenamed] = useState<string>();
  /** Empty: a new one. */
  const [edited, setEdited] = useState<Skill | 'new'>();
  const [isOver, setOver] = useState(false);
  const changed = async () => {
    await reload();
    if (robot.value) await loadCatalogue(robot.value);
  };
  const upload = (files: Iterable<File>) =>
    action.run(async () => {
      const names: string[] = [];
      try {
        for (const file of files) {
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
  /** What was typed stays where the service refuses it. */
  const rename = async (name: string, to: string) => {
    const isDone = await change(async () => robot.value?.skills.rename(name, to), t.renamed(name, to));
    if (isDone) setRenamed(undefined);
  };
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
          if (mayWrite.value) void upload(event.dataTransfer?.files ?? []);
        }}
      >
        <span>{t.drop}</span>
        <div class="row">
          <FileButton accept=".py" isOff={action.isBusy} onFiles={(files) => void upload(files)}>
            {t.choose}
          </FileButton>
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
            <SkillLine of={skill} />
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
                  label={t.renameOf(skill.name)}
                  isOff={action.isBusy}
                  onClick={() => setRenamed(skill.name)}
                >
                  {t.rename}
                </ServiceButton>
                <ServiceButton
                  label={t.downloadOf(skill.name)}
                  isOff={action.isBusy}
                  onClick={() =>
                    void action.run(async () => {
                      await download(`api/v2/skill/download/${encodeURIComponent(skill.name)}`, skill.name);
                      return undefined;
                    })
                  }
                >
                  {t.download}
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
            {renamed === skill.name && (
              <RenameForm
                of={skill}
                isOff={action.isBusy}
                onRename={(name) => void rename(skill.name, name)}
                onCancel={() => setRenamed(undefined)}
              />
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
