import type { ComponentChildren } from 'preact';
import { lease as ownLease } from '../state/driving.ts';
import type { LeaseStanding } from '../state/event-data.ts';
import { isAnswering, silenceMs, status } from '../state/link.ts';
import { isRobotItself, isStale, lease, state } from '../state/live.ts';
import { isAtLeast, level, robot, signOut } from '../state/session.ts';
import { texts } from '../texts.ts';
import { duration } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';

const t = texts.link;

/** Who and what is at the other end: name, link, simulation, emergency stop, and who controls the robot. */
export function LinkBar() {
  return (
    <header class="link-bar">
      <span class="robot-name">
        <Icon name="robot" />
        <bdi>{status.value?.name ?? ''}</bdi>
      </span>
      <div class="badges">
        <LinkBadge />
        <SimulatedBadge />
        <EmergencyStopBadge />
        {robot.value && isRobotItself.value && <ControlBadge />}
      </div>
      {robot.value && <Account />}
    </header>
  );
}

function Badge({ kind, title, children }: { kind: string; title?: string; children: ComponentChildren }) {
  return (
    <span class={`badge ${kind}`} title={title}>
      {children}
    </span>
  );
}

function LinkBadge() {
  if (!status.value) return <Badge kind="bad">{t.waiting}</Badge>;
  if (!isAnswering.value) return <Badge kind="bad dot">{t.silent(duration(silenceMs.value))}</Badge>;
  if (status.value.robot === 'disconnected') return <Badge kind="bad dot">{t.robotGone}</Badge>;
  return <Badge kind="good dot">{t.answering}</Badge>;
}

function SimulatedBadge() {
  const parts = status.value?.simulated ?? [];
  if (parts.length === 0) return null;
  return (
    <Badge kind="warn" title={t.simulatedParts(parts.join(', '))}>
      {parts.includes('robot') ? t.simulated : t.simulatedParts(parts.join(', '))}
    </Badge>
  );
}

/** Robots that report none have no badge. */
function EmergencyStopBadge() {
  const reported = state.value?.estop ?? status.value?.estop;
  if (!reported) return null;
  const answered = isAnswering.value ? status.value?.estop : undefined;
  const estop = (isStale.value ? answered : reported) ?? 'unknown';
  return <Badge kind={estop === 'released' ? 'good' : 'bad'}>{t.estop[estop] ?? estop}</Badge>;
}

function ControlBadge() {
  const standing = lease.value;
  const isOwn = ownLease.value !== undefined;
  const isKnown = isOwn ? isAnswering.value : !isStale.value;
  if (!isKnown) {
    return (
      <Badge kind="">
        {t.control}: <span aria-hidden="true">{texts.nothing}</span>
        <span class="sr-only">{t.unknown}</span>
      </Badge>
    );
  }
  const since = standing?.state === 'free' || !standing?.holder ? undefined : standing.holder.since;
  // By the clock of the robot, which the status tells every time: that of the page may differ.
  const heldMs = since === undefined ? 0 : Math.max(0, Date.parse(status.value?.clock.time ?? '') - Date.parse(since));
  return (
    <Badge kind={isOwn ? 'info' : ''}>
      {t.control}: <bdi>{isOwn ? t.you : holderOf(standing)}</bdi>
      {since !== undefined && (
        <span>
          <span class="wide-only">{t.heldFor} </span>
          {duration(heldMs)}
        </span>
      )}
    </Badge>
  );
}

/** Who controls the robot, as everybody may know it. */
export function holderOf(standing: LeaseStanding | undefined): string {
  if (!standing?.holder || standing.state === 'free') return t.free;
  const who = standing.holder.username ?? standing.holder.key_name;
  return standing.state === 'stale' ? t.stale(who) : who;
}

function Account() {
  return (
    <div class="account">
      <span class={`level ${isAtLeast('ADMIN') ? 'high' : ''}`}>{level.value}</span>
      <button type="button" class="plain" aria-label={t.signOut} onClick={() => void signOut()}>
        <Icon name="out" />
        <span class="wide-only">{t.signOut}</span>
      </button>
    </div>
  );
}
