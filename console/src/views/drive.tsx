import { useState } from 'preact/hooks';
import { driveProblem, isTaking, lease as ownLease, releaseControl, takeControl } from '../state/driving.ts';
import { mayMove, mayWrite } from '../state/link.ts';
import { lease } from '../state/live.ts';
import { isAtLeast } from '../state/session.ts';
import { videoUrl } from '../state/video.ts';
import { texts } from '../texts.ts';
import { Card } from '../ui/card.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { GoToPose, Locations } from './destinations.tsx';
import { Pad } from './pad.tsx';

const t = texts.drive;
const camera = () => import('./camera.tsx');

/** Moves the robot by hand, and sends it to places. */
export function Drive() {
  return (
    <div class="grid drive">
      <ControlCard />
      <Pad />
      {videoUrl !== undefined && <Lazy load={camera} props={{}} />}
      <Locations />
      <GoToPose />
    </div>
  );
}

function ControlCard() {
  const isOwn = ownLease.value !== undefined;
  const holder = lease.value?.state === 'fresh' ? lease.value.holder : null;
  const isHeld = !isOwn && holder !== null;
  return (
    <Card title={t.control} class={isOwn ? 'control own' : 'control'}>
      <p class="value grow">
        {isOwn ? t.yours : holder ? <bdi>{t.heldBy(holder.username ?? holder.key_name)}</bdi> : t.free}
      </p>
      <p class="problem" role="alert">
        <bdi>{driveProblem.value}</bdi>
      </p>
      {isOwn ? (
        <button type="button" onClick={() => void releaseControl()}>
          {t.release}
        </button>
      ) : (
        <>
          <p class="muted">{t.takeIntro}</p>
          <button
            type="button"
            class="primary"
            disabled={!mayWrite.value || !mayMove.value || isTaking.value}
            onClick={() => void takeControl()}
          >
            {isTaking.value ? t.taking : t.take}
          </button>
        </>
      )}
      {isHeld && isAtLeast('ADMIN') && <TakeOver />}
    </Card>
  );
}

/** A deliberate act of ADMIN and above: it asks for a reason. */
function TakeOver() {
  const [reason, setReason] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (reason.trim() !== '') void takeControl(reason.trim());
  };
  return (
    <form class="take-over" onSubmit={submit}>
      <p class="muted">{t.takeOverIntro}</p>
      <label>
        {t.reason}
        <input value={reason} maxLength={300} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
      <button type="submit" class="danger" disabled={!mayMove.value || isTaking.value || reason.trim() === ''}>
        {t.takeOver}
      </button>
    </form>
  );
}
