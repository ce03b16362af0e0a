import '../shared.ts';
import { useEffect, useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/audit.ts';
import { Card, Empty } from '../ui/card.tsx';
import { clock, inline } from '../ui/format.ts';
import { Outcome, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';

type Entry = components['schemas']['AuditEntry'];

const PAGE = 100;
/** More would only be scrolled past; older ones are found with a filter. */
const MAX_ENTRIES = 2000;
const NOTHING = { action: '', outcome: '', key_id: '', since: '' };

/** The audit trail, newest first. */
export default function Audit() {
  const [typed, setTyped] = useState(NOTHING);
  const [shown, setShown] = useState<{ entries: readonly Entry[]; next: string | null }>();
  const action = useAction();
  const load = (before: string | undefined) =>
    action.run(async () => {
      const since = typed.since === '' ? undefined : new Date(typed.since).toISOString();
      const given = Object.entries({ ...typed, since, before }).filter(([, value]) => value !== '');
      const page = await robot.value?.call('get', '/api/v2/audit/', {
        query: { ...Object.fromEntries(given), limit: PAGE },
      });
      if (!page) return undefined;
      const earlier = before === undefined ? [] : (shown?.entries ?? []);
      setShown({ entries: [...earlier, ...page.entries].slice(-MAX_ENTRIES), next: page.next });
      return undefined;
    });
  useEffect(() => void load(undefined), []);
  const field = (name: keyof typeof NOTHING, label: string, type = 'text') => (
    <label>
      {label}
      <input
        type={type}
        value={typed[name]}
        maxLength={64}
        placeholder={t.all}
        onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
      />
    </label>
  );
  return (
    <Card title={t.title}>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void load(undefined);
        }}
      >
        {field('action', t.action)}
        {field('outcome', t.outcome)}
        {field('key_id', t.key)}
        {field('since', t.since, 'datetime-local')}
        <ServiceButton type="submit" kind="primary" isOff={action.isBusy}>
          {t.show}
        </ServiceButton>
      </form>
      <Outcome of={action} />
      {shown?.entries.length === 0 && <Empty>{t.none}</Empty>}
      <ul class="rows audit">
        {shown?.entries.map((entry) => (
          <Line key={entry.id} entry={entry} />
        ))}
      </ul>
      {shown?.next && (
        <ServiceButton isOff={action.isBusy} onClick={() => void load(shown.next ?? undefined)}>
          {t.older}
        </ServiceButton>
      )}
    </Card>
  );
}

function Line({ entry }: { entry: Entry }) {
  const { at, action, outcome, subject, key_name, key_id, client_id, address, listener, count } = entry;
  return (
    <li>
      <time dateTime={at}>{clock(at)}</time>
      <span class="value">
        <bdi>{action}</bdi> {count !== undefined && <span class="badge">{t.times(count)}</span>}
      </span>
      <span class={`outcome ${outcome === 'ok' ? 'ok' : outcome === 'sent' ? 'sent' : 'failed'}`}>
        <bdi>{outcome}</bdi>
      </span>
      <span class="muted">
        <bdi>{[key_name ?? key_id ?? t.nobody, client_id?.slice(0, 8)].filter(Boolean).join(' · ')}</bdi>{' '}
        <bdi>{t.from(address, listener)}</bdi>
      </span>
      <span class="mono subject">{Object.keys(subject).length > 0 && <bdi>{inline(subject)}</bdi>}</span>
    </li>
  );
}
