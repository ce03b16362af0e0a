import '../shared.ts';
import { useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { ask } from '../state/ask.ts';
import { isAtLeast, robot } from '../state/session.ts';
import { texts as t } from '../texts/keys.ts';
import { Card, Empty } from '../ui/card.tsx';
import { clock } from '../ui/format.ts';
import { Outcome, Problem, ServiceButton, Sure } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';
import { MakeKey } from './make-key.tsx';
import { Pair } from './pair.tsx';

type Key = components['schemas']['ApiKey'];

/** Who gets in: pairing for everybody, keys for ENCHANTER. */
export default function Keys() {
  return (
    <div class="grid">
      <Pair />
      {isAtLeast('ENCHANTER') && <AllKeys />}
    </div>
  );
}

function AllKeys() {
  const { value, problem, reload } = useLoad((of) => of.call('get', '/api/v2/keys/'));
  const [withRevoked, setWithRevoked] = useState(false);
  const keys = value?.keys.filter(({ revoked_at: at }) => withRevoked || at === null);
  return (
    <div class="stack">
      <MakeKey onMade={() => void reload()} />
      <Card title={t.keys}>
        <Problem of={problem} />
        {keys?.length === 0 && <Empty>{t.none}</Empty>}
        <ul class="rows">
          {keys?.map((key) => (
            <KeyLine key={key.id} of={key} onChange={() => void reload()} />
          ))}
        </ul>
        <label class="check">
          <input
            type="checkbox"
            checked={withRevoked}
            onChange={({ currentTarget }) => setWithRevoked(currentTarget.checked)}
          />
          {t.showRevoked}
        </label>
      </Card>
    </div>
  );
}

function KeyLine({ of: key, onChange }: { of: Key; onChange: () => void }) {
  const action = useAction();
  const [asked, setAsked] = useState<'no' | 'yes' | 'again'>('no');
  const revoke = async () => {
    const path = `api/v2/keys/${encodeURIComponent(key.id)}${asked === 'again' ? '?confirm=true' : ''}`;
    const isDone = await action.run(async () => {
      await ask('DELETE', path);
      return t.wasRevoked(key.name);
    });
    // The service refuses once where somebody may lock themselves out, and says why.
    setAsked(isDone || asked === 'again' ? 'no' : 'again');
    if (isDone && robot.value) onChange();
  };
  return (
    <li>
      <div class="row">
        <span class="grow">
          <bdi class="value">{key.name}</bdi> <span class="badge">{key.level}</span>
          <small class="line muted">
            <bdi>{describe(key)}</bdi>
          </small>
        </span>
        {key.revoked_at === null && asked === 'no' && (
          <ServiceButton label={t.revokeOf(key.name)} isOff={action.isBusy} onClick={() => setAsked('yes')}>
            {t.revoke}
          </ServiceButton>
        )}
      </div>
      <Outcome of={action} />
      {asked !== 'no' && (
        <Sure
          question={t.sure(key.name)}
          yes={asked === 'again' ? t.allTheSame : t.revoke}
          isOff={action.isBusy}
          onYes={() => void revoke()}
          onNo={() => {
            action.forget();
            setAsked('no');
          }}
        />
      )}
    </li>
  );
}

function describe(key: Key): string {
  return [
    key.id,
    t.made(clock(key.created_at)),
    key.last_used_at === null ? t.unused : t.used(clock(key.last_used_at)),
    key.expires_at !== undefined && t.ends(clock(key.expires_at)),
    key.robots !== undefined && t.robots(key.robots.join(', ')),
    key.revoked_at !== null && t.revoked(clock(key.revoked_at)),
  ]
    .filter(Boolean)
    .join(' · ');
}
