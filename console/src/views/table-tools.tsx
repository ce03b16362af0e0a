import { useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { ask, download } from '../state/ask.ts';
import { isAtLeast, robot } from '../state/session.ts';
import type { Table } from '../state/table-rows.ts';
import { texts as t } from '../texts/database.ts';
import { FileButton } from '../ui/file-button.tsx';
import { Outcome, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';

type Uploaded = components['schemas']['UploadedTable'];

/** CSV down and up, and clearing; what loses rows can be undone by ADMIN and above. */
export function TableTools({ table: { name }, onChange }: { table: Table; onChange: () => void }) {
  const action = useAction();
  const [tried, setTried] = useState<{ readonly file: File; readonly counts: Uploaded }>();
  const [typed, setTyped] = useState<string>();
  const [backup, setBackup] = useState<string | null>(null);
  const send = async (file: File, isTrial: boolean): Promise<Uploaded> => {
    const path = `api/v2/database/tables/${encodeURIComponent(name)}.csv${isTrial ? '?dry_run=true' : ''}`;
    return (await ask('PUT', path, { body: file, type: 'text/csv' })).json();
  };
  const run = (act: () => Promise<string | undefined>) => {
    setTried(undefined);
    setTyped(undefined);
    return action.run(act);
  };
  const tryOut = (file: File) =>
    run(async () => {
      setTried({ file, counts: await send(file, true) });
      return undefined;
    });
  const upload = (file: File) =>
    run(async () => {
      const counts = await send(file, false);
      setBackup(counts.backup);
      onChange();
      return t.imported(counts.inserted, counts.updated);
    });
  const clear = () =>
    run(async () => {
      const query = new URLSearchParams({ tablename: name });
      const response = await ask('DELETE', `api/v2/database/clear_table/?${query}`);
      const answer: components['schemas']['ClearedTable'] = await response.json();
      setBackup(answer.backup);
      onChange();
      return t.cleared(answer.deleted);
    });
  const undo = (of: string) =>
    run(async () => {
      await robot.value?.call('post', '/api/v2/database/restore/', { body: { backup: of } });
      setBackup(null);
      onChange();
      return t.undone;
    });
  const isOff = action.isBusy;
  return (
    <>
      <div class="row tools">
        <ServiceButton
          isOff={isOff}
          onClick={() =>
            void run(() => download(`api/v2/database/tables/${name}.csv`, `${name}.csv`).then(() => undefined))
          }
        >
          {t.download}
        </ServiceButton>
        <FileButton accept=".csv,text/csv" isOff={isOff} onFile={(file) => void tryOut(file)}>
          {t.upload}
        </FileButton>
        <ServiceButton kind="danger" isOff={isOff} onClick={() => setTyped('')}>
          {t.clear}
        </ServiceButton>
      </div>
      {tried && (
        <Sure
          question={t.would(tried.counts.inserted, tried.counts.updated, tried.counts.unchanged)}
          yes={t.doImport}
          isOff={isOff}
          onYes={() => void upload(tried.file)}
          onNo={() => setTried(undefined)}
        />
      )}
      {typed !== undefined && (
        <form
          class="ask"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed === name) void clear();
          }}
        >
          <p>{t.clearSure(name)}</p>
          <label>
            {t.clearName}
            <input
              value={typed}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
          <div class="row">
            <ServiceButton type="submit" kind="danger" isOff={isOff || typed !== name}>
              {t.doClear}
            </ServiceButton>
            <button type="button" onClick={() => setTyped(undefined)}>
              {t.cancel}
            </button>
          </div>
        </form>
      )}
      <Outcome of={action} />
      {backup !== null && isAtLeast('ADMIN') && (
        <div class="row">
          <ServiceButton isOff={isOff} onClick={() => void undo(backup)}>
            {t.undo}
          </ServiceButton>
          <span class="muted">{t.undoAbout}</span>
        </div>
      )}
    </>
  );
}
