import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { AccessLevel } from '../../../clients/typescript/src/index.ts';
import { level, robot } from '../state/session.ts';
import { texts as t } from '../texts/keys.ts';
import { Card } from '../ui/card.tsx';
import { Outcome, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { LevelSelect } from './level-select.tsx';

/** Makes a key, and shows it once. */
export function MakeKey({ onMade }: { onMade: () => void }) {
  const action = useAction();
  const [name, setName] = useState('');
  const [wanted, setWanted] = useState<AccessLevel>('USER');
  const [until, setUntil] = useState('');
  const [secret, setSecret] = useState<string>();
  const make = async () => {
    await action.run(async () => {
      const ends = until === '' ? {} : { expires_at: new Date(until).toISOString() };
      const body = { name: name.trim(), level: wanted, ...ends };
      const made = await robot.value?.call('post', '/api/v2/keys/', { body });
      setSecret(made?.key);
      setName('');
      onMade();
      return undefined;
    });
  };
  return (
    <Card title={t.make}>
      {secret === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void make();
          }}
        >
          <label>
            {t.name} <span class="muted">{t.nameHint}</span>
            <input
              required
              maxLength={100}
              autocomplete="off"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </label>
          <LevelSelect value={wanted} atMost={level.value ?? 'USER'} onChange={setWanted} />
          <label>
            {t.until} <span class="muted">{t.untilHint}</span>
            <input type="date" value={until} onInput={({ currentTarget }) => setUntil(currentTarget.value)} />
          </label>
          <Outcome of={action} />
          <ServiceButton type="submit" kind="primary" isOff={action.isBusy || name.trim() === ''}>
            {t.make}
          </ServiceButton>
        </form>
      ) : (
        <Secret text={secret} onHide={() => setSecret(undefined)} />
      )}
    </Card>
  );
}

/** Selected at once, for places without a clipboard: pages that came over plain HTTP have none. */
function Secret({ text, onHide }: { text: string; onHide: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => field.current?.select(), []);
  return (
    <div class="secret">
      <label for={id}>{t.secret}</label>
      <input ref={field} id={id} class="mono" readOnly value={text} onFocus={() => field.current?.select()} />
      <p class="muted">{t.secretAbout}</p>
      <div class="row">
        {'clipboard' in navigator && (
          <button type="button" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
            {t.copy}
          </button>
        )}
        <button type="button" onClick={onHide}>
          {t.hide}
        </button>
        <span role="status">{isCopied && t.copied}</span>
      </div>
    </div>
  );
}
