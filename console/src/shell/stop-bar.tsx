import type { SafetyEvent } from '../state/live.ts';
import { lastStop } from '../state/live.ts';
import { isRevoked, robot, stopOnly } from '../state/session.ts';
import { pressStop, stopPhase } from '../state/stop.ts';
import { texts } from '../texts.ts';
import { clock } from '../ui/format.ts';
import { isHolding } from './stop-key.ts';

const t = texts.stop;

/** On every view, whatever else is the case; nothing else in it can be pressed. */
export function StopBar() {
  const maySend = robot.value !== undefined || stopOnly.value !== undefined;
  if (!maySend) {
    return (
      <footer class="stop-bar signed-out">
        <p class="stop-words" role="status">
          <strong>{t.signedOut}</strong>
        </p>
      </footer>
    );
  }
  const { kind } = stopPhase.value;
  return (
    <footer class={`stop-bar ${kind}`}>
      <StopWords />
      {/* On pointerdown, not on click alone: a finger that slides off has meant it. */}
      <button
        type="button"
        class={`stop ${isHolding.value ? 'holding' : ''}`}
        onPointerDown={pointerPress}
        onClick={clickPress}
      >
        {t.button}
      </button>
      <LastStop />
    </footer>
  );
}

/** The click that follows a pointer is not a press of its own. */
const SAME_PRESS_MS = 1000;
let pressedAt = Number.NEGATIVE_INFINITY;

function pointerPress(): void {
  pressedAt = performance.now();
  void pressStop();
}

function clickPress(): void {
  if (performance.now() - pressedAt > SAME_PRESS_MS) void pressStop();
}

function StopWords() {
  const phase = stopPhase.value;
  if (phase.kind === 'unconfirmed') {
    const detail = [phase.why, phase.isSending ? t.again(phase.attempts) : t.refused].filter(Boolean).join(' ');
    return (
      <p class="stop-words" role="alert">
        <strong>{t.unconfirmed}</strong> <span class="detail">{detail}</span>
      </p>
    );
  }
  return (
    <p class="stop-words" role="status">
      {phase.kind === 'sending' && <strong>{t.sending}</strong>}
      {phase.kind === 'confirmed' && <strong>{t.confirmed(phase.by, clock(phase.at))}</strong>}
      {phase.kind === 'idle' && (
        <span class="detail">
          {readiness()} <span class="stop-hint">{t.hint}</span>
        </span>
      )}
    </p>
  );
}

function readiness(): string {
  if (robot.value) return t.ready;
  return isRevoked.value ? t.revoked : t.tokenOver;
}

/** Who stopped the robot, and when. */
function LastStop() {
  const stop = lastStop.value;
  // Beside a stop that is not confirmed, an earlier one would only mislead.
  if (!stop || stopPhase.value.kind === 'unconfirmed') return <p class="last-stop" />;
  return (
    <p class="last-stop">
      {t.last} <time>{clock(stop.time)}</time> {t.by(whoOf(stop))}, {t.what[stop.what] ?? stop.what}
    </p>
  );
}

function whoOf({ data }: SafetyEvent): string {
  const by = data.by as { client: string; key_id: string } | null | undefined; // as: the schema of these events
  if (!by) return t.nobody;
  const own = (robot.value ?? stopOnly.value)?.clientId.slice(0, 8);
  return by.client === own ? t.you : t.client(by.client, by.key_id);
}
