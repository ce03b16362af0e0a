import { useState } from 'preact/hooks';
import { type components, RobotRestError } from '../../../clients/typescript/src/index.ts';
import { ask, download } from '../state/ask.ts';
import { status } from '../state/link.ts';
import { texts as t } from '../texts/whole-robot.ts';
import { Card } from '../ui/card.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { bytes, clock } from '../ui/format.ts';
import { Outcome, Problem, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';

type Restored = components['schemas']['RestoredRobot'];
/** A file of the person's own, or the name of an archive that the robot has kept. */
type Source = File | string;

interface Tried {
  readonly of: Source;
  /** Undefined: it is of another robot, and was not tried. */
  readonly found: Restored | undefined;
  /** Whether the data of another robot are taken. */
  readonly adopt: boolean;
}

/** Everything that makes this robot what it is, down and up again; for ENCHANTER. */
export function WholeRobot() {
  const { value, problem, reload } = useLoad((of) => of.call('get', '/api/v2/backup/'));
  const action = useAction();
  const [tried, setTried] = useState<Tried>();
  const make = () =>
    action.run(async () => {
      const day = (status.value?.clock.time ?? '').slice(0, 10);
      await download('api/v2/backup/', `${status.value?.robot_id ?? 'robot'}-${day}.tar.gz`, 'POST');
      return undefined;
    });
  const tryOut = (of: Source, adopt = false) =>
    action.run(async () => {
      setTried(undefined);
      try {
        setTried({ of, found: await send(of, { dry_run: 'true', ...(adopt ? { adopt: 'true' } : {}) }), adopt });
      } catch (error) {
        if (!adopt && error instanceof RobotRestError && error.code === 'conflict') {
          setTried({ of, found: undefined, adopt: true });
        }
        throw error;
      }
      return undefined;
    });
  const restore = ({ of, adopt }: Tried) =>
    action.run(async () => {
      setTried(undefined);
      const { restored, restart_needed: restart } = await send(of, adopt ? { adopt: 'true' } : {});
      await reload();
      return [t.restored(partsOf(restored)), restart && t.restart].filter(Boolean).join(' ');
    });
  const isOff = action.isBusy;
  return (
    <Card title={t.title} class="wide">
      <p class="muted">{t.about}</p>
      <div class="row tools">
        <ServiceButton kind="primary" isOff={isOff} onClick={() => void make()}>
          {t.make}
        </ServiceButton>
        <FileButton accept=".gz,application/gzip" isOff={isOff} onFile={(file) => void tryOut(file)}>
          {t.restore}
        </FileButton>
      </div>
      <Problem of={problem} />
      <Outcome of={action} />
      {tried?.found && (
        <>
          {tried.found.settings.length > 0 && <Differences of={tried.found} />}
          <Sure
            question={t.would(partsOf(tried.found.restored))}
            yes={t.doRestore}
            isOff={isOff}
            onYes={() => void restore(tried)}
            onNo={() => setTried(undefined)}
          />
        </>
      )}
      {tried && !tried.found && (
        <ServiceButton isOff={isOff} onClick={() => void tryOut(tried.of, true)}>
          {t.doAdopt}
        </ServiceButton>
      )}
      {value && value.backups.length > 0 && <h3>{t.kept}</h3>}
      <ul class="rows">
        {value?.backups.map(({ name, created_at: at, size }) => (
          <li key={name} class="row">
            <span class="grow">
              <time class="value" dateTime={at}>
                {clock(at)}
              </time>
              <small class="line muted">
                <bdi>{name}</bdi>, {bytes(size)}
              </small>
            </span>
            <ServiceButton label={t.restoreOf(clock(at))} isOff={isOff} onClick={() => void tryOut(name)}>
              {t.restoreButton}
            </ServiceButton>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Differences({ of: { settings } }: { of: Restored }) {
  return (
    <>
      <h3>{t.differs}</h3>
      <ul class="mono">
        {settings.map(({ name, here, archive }) => (
          <li key={name}>
            <bdi>{t.setting(name, here ?? t.unset, archive ?? t.unset)}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

async function send(of: Source, query: Readonly<Record<string, string>>): Promise<Restored> {
  const path = `api/v2/backup/restore?${new URLSearchParams(query)}`;
  const content = typeof of === 'string' ? { json: { name: of } } : { body: of, type: 'application/gzip' };
  return (await ask('POST', path, content)).json();
}

function partsOf(parts: readonly string[]): string {
  return parts.map((part) => t.parts[part] ?? part).join(', ') || t.nothing;
}
