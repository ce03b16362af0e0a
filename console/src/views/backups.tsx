import '../shared.ts';
import { useState } from 'preact/hooks';
import { ask, download } from '../state/ask.ts';
import { isAtLeast, robot } from '../state/session.ts';
import { texts as t } from '../texts/backups.ts';
import { Card, Empty } from '../ui/card.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { bytes, clock } from '../ui/format.ts';
import { Outcome, Problem, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';
import { WholeRobot } from './whole-robot.tsx';

/** What the robot's data can be brought back from. */
export default function Backups() {
  return (
    <div class="grid">
      <Snapshots />
      {isAtLeast('ENCHANTER') && <WholeRobot />}
    </div>
  );
}

function Snapshots() {
  const { value, problem, reload } = useLoad((of) => of.call('get', '/api/v2/database/backups/'));
  const action = useAction();
  const [asked, setAsked] = useState<string>();
  const [undo, setUndo] = useState<string>();
  const make = () =>
    action.run(async () => {
      const answer = await robot.value?.call('post', '/api/v2/database/backups/');
      await reload();
      return answer && t.made(answer.backup);
    });
  const restore = (backup: string) =>
    action.run(async () => {
      setAsked(undefined);
      const answer = await robot.value?.call('post', '/api/v2/database/restore/', { body: { backup } });
      setUndo(answer?.backup ?? undefined);
      await reload();
      return answer && t.restored(Object.values(answer.rows).reduce((sum, rows) => sum + rows, 0));
    });
  const upload = (file: File) =>
    action.run(async () => {
      await ask('PUT', `api/v2/database/backups/${encodeURIComponent(file.name)}`, {
        body: file,
        type: 'application/vnd.sqlite3',
      });
      await reload();
      return t.uploaded(file.name);
    });
  const save = (name: string) =>
    action.run(async () => {
      await download(`api/v2/database/backups/${encodeURIComponent(name)}`, name);
      return undefined;
    });
  return (
    <Card title={t.database} class="wide">
      <p class="muted">{t.about}</p>
      <div class="row tools">
        <ServiceButton kind="primary" isOff={action.isBusy} onClick={() => void make()}>
          {t.make}
        </ServiceButton>
        <FileButton accept=".sqlite" isOff={action.isBusy} onFile={(file) => void upload(file)}>
          {t.upload}
        </FileButton>
        {undo !== undefined && (
          <ServiceButton isOff={action.isBusy} onClick={() => void restore(undo)}>
            {t.undo}
          </ServiceButton>
        )}
      </div>
      <Problem of={problem} />
      <Outcome of={action} />
      {value?.backups.length === 0 && <Empty>{t.none}</Empty>}
      <ul class="rows">
        {value?.backups.map(({ name, created_at: at, size }) => (
          <li key={name}>
            <div class="row">
              <span class="grow wide">
                <time class="value" dateTime={at}>
                  {clock(at)}
                </time>
                <small class="line muted">
                  <bdi>{name}</bdi>, {bytes(size)}
                </small>
              </span>
              <ServiceButton label={t.downloadOf(name)} isOff={action.isBusy} onClick={() => void save(name)}>
                {t.download}
              </ServiceButton>
              <ServiceButton label={t.restoreOf(name)} isOff={action.isBusy} onClick={() => setAsked(name)}>
                {t.restore}
              </ServiceButton>
            </div>
            {asked === name && (
              <Sure
                question={t.sure(clock(at))}
                yes={t.restore}
                isOff={action.isBusy}
                onYes={() => void restore(name)}
                onNo={() => setAsked(undefined)}
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
