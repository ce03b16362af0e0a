import { catalogue, sendCommand } from '../state/commands.ts';
import { mayWrite } from '../state/link.ts';
import { missionsEnded, missionsUnderWay, type ShownMission } from '../state/missions.ts';
import { robot } from '../state/session.ts';
import { texts } from '../texts.ts';
import { Empty } from '../ui/card.tsx';
import { clock } from '../ui/format.ts';

const t = texts.missions;
/** Of an id, which is mostly a UUID. */
const SHOWN_ID = 8;

/** Missions that can be cancelled. */
export function UnderWay() {
  const missions = missionsUnderWay.value;
  if (missions.length === 0) return <p class="empty value">{t.none}</p>;
  const canCancel = catalogue.value?.some(({ name }) => name === 'cancel_skill');
  return (
    <ul class="rows">
      {missions.map((mission) => (
        <li key={mission.id} class="row">
          <span class="grow">
            <MissionName mission={mission} />
            {mission.progress !== undefined && (
              <progress value={mission.progress} max={1} aria-label={nameOf(mission)} />
            )}
          </span>
          {canCancel && (
            <button
              type="button"
              disabled={!mayWrite.value}
              aria-label={t.cancelOf(nameOf(mission))}
              onClick={() => void sendCommand('cancel_skill', mission.id)}
            >
              {t.cancel}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Ended() {
  const missions = missionsEnded.value;
  if (missions.length === 0) return <Empty>{t.noneEnded}</Empty>;
  return (
    <ul class="rows">
      {missions.map((mission) => (
        <li key={mission.id}>
          <div class="row">
            <span class="grow">
              <MissionName mission={mission} />
            </span>
            <span class={`outcome ${mission.what}`}>{t.what[mission.what] ?? mission.what}</span>
            <time class="muted">{clock(mission.time)}</time>
          </div>
          {mission.message !== undefined && (
            <p class="muted">
              <bdi>{mission.message}</bdi>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function MissionName({ mission }: { mission: ShownMission }) {
  const isOwn = mission.client !== null && robot.value?.clientId.startsWith(mission.client);
  return (
    <>
      <bdi class="value">{nameOf(mission)}</bdi> {isOwn && <span class="badge">{t.mine}</span>}
    </>
  );
}

function nameOf({ skills, id }: ShownMission): string {
  return skills.length > 0 ? skills.join(', ') : t.unnamed(id.slice(0, SHOWN_ID));
}
