import { health, type Part } from '../state/health.ts';
import { status } from '../state/link.ts';
import { alerts, isRobotItself, isStale, state } from '../state/live.ts';
import { texts } from '../texts.ts';
import { Card, Empty, Fact, Facts } from '../ui/card.tsx';
import { bytes, clock, duration, number } from '../ui/format.ts';

const t = texts.overview;

/** First of all what needs somebody; a line where nothing does, as long as that is known. */
export function AlertsCard() {
  const raised = alerts.value;
  if (!isRobotItself.value) return null;
  if (raised.length === 0) return isStale.value ? null : <p class="all-well value">{t.noAlerts}</p>;
  return (
    <Card title={t.alerts} class="alerting">
      <ul class="rows">
        {raised.map(({ alert, message }) => (
          <li key={alert} class="value">
            <span class="badge bad">{alert.replaceAll('_', ' ')}</span> <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function HealthCard() {
  const parts = health.value;
  if (!parts) {
    return (
      <Card title={t.health}>
        <Empty>{t.noHealth}</Empty>
      </Card>
    );
  }
  const broken = parts.filter(({ ok }) => !ok);
  return (
    <Card title={t.health}>
      <p class={`value ${broken.length > 0 ? 'bad' : ''}`}>
        {broken.length === 0 ? t.allWell(parts.length) : t.broken(broken.length)}
      </p>
      <ul class="parts">
        {[...parts].sort(brokenFirst).map((part) => (
          <PartLine key={part.name} part={part} />
        ))}
      </ul>
    </Card>
  );
}

function brokenFirst(a: Part, b: Part): number {
  return Number(a.ok) - Number(b.ok);
}

function PartLine({ part: { name, ok, reason, notes } }: { part: Part }) {
  return (
    <li class={ok ? '' : 'broken'}>
      <span class={`lamp ${ok ? 'good' : 'bad'}`} role="img" aria-label={ok ? 'works' : 'does not work'} />
      <span class="value">{name.replaceAll('_', ' ')}</span>
      {[reason, ...notes].filter(Boolean).map((line) => (
        <span key={line} class="reason">
          <bdi>{line}</bdi>
        </span>
      ))}
    </li>
  );
}

export function ServiceCard() {
  const shown = status.value;
  if (!shown) return null;
  const { disk, clock: time, version, uptime_seconds: uptime, mode } = shown;
  const volume = state.value?.volume;
  return (
    <Card title={t.service}>
      <Facts>
        <Fact name={t.modeName}>{t.mode[mode] ?? mode}</Fact>
        <Fact name={t.version}>{version}</Fact>
        <Fact name={t.uptime}>{duration(uptime * 1000)}</Fact>
        <Fact name={t.clock}>
          {clock(time.time)} {!time.ok && <strong class="bad">{t.clockWrong}</strong>}
        </Fact>
        {volume && (
          <Fact name={t.volume}>
            {number(volume.level, 0)} % {volume.muted && t.muted}
          </Fact>
        )}
        {disk && (
          <Fact name={t.disk}>
            {t.diskFree(bytes(disk.free_bytes), bytes(disk.total_bytes))}{' '}
            {!disk.ok && <strong class="bad">{t.diskFull}</strong>}
            <meter min={0} max={disk.total_bytes} value={disk.total_bytes - disk.free_bytes} aria-label={t.disk} />
          </Fact>
        )}
      </Facts>
    </Card>
  );
}
