import { useEffect, useRef, useState } from 'preact/hooks';
import { RobotRestError } from '../../../clients/typescript/src/index.ts';
import { ask } from '../state/ask.ts';
import { mayWrite } from '../state/link.ts';
import { texts as t } from '../texts/network.ts';
import { Card } from '../ui/card.tsx';
import { Outcome, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';

export interface Chosen {
  readonly ssid: string;
  /** Undefined: not known. */
  readonly security: string | undefined;
  readonly isHidden?: boolean;
}

interface JoinFormProps {
  readonly chosen: Chosen;
  /** Whatever came of it; true: the robot is in the network. */
  readonly onEnd: (isJoined: boolean) => void;
  readonly onCancel: () => void;
}

const METHODS = ['PEAP', 'TTLS', 'PWD', 'FAST'] as const;

/** Joins a network, after it has said what that may do to this very page. */
export function JoinForm({ chosen, onEnd, onCancel }: JoinFormProps) {
  const action = useAction();
  const underWay = useRef<AbortController>();
  const hasLink = mayWrite.value;
  // On a phone the list is below the form, and may have been scrolled.
  useEffect(() => document.querySelector('.join')?.scrollIntoView({ block: 'nearest' }), []);
  useEffect(() => {
    if (!hasLink) underWay.current?.abort();
  }, [hasLink]);
  const [typed, setTyped] = useState({ ssid: chosen.ssid, password: '', identity: '', method: '' });
  const isNamed = chosen.ssid !== '';
  const [isHidden, setHidden] = useState(chosen.isHidden ?? !isNamed);
  const needsName = chosen.security === 'wpa-eap' || (chosen.security === undefined && typed.method !== '');
  const join = async () => {
    const isJoined = await action.run(async () => {
      const { ssid, password, identity, method } = typed;
      const json = {
        ssid,
        ...(password === '' ? {} : { password }),
        ...(isHidden ? { is_hidden: true } : {}),
        ...(needsName ? { identity, eap_method: method || 'PEAP' } : {}),
      };
      underWay.current = new AbortController();
      try {
        await ask('POST', 'api/v2/network/configure/', { json, signal: underWay.current.signal });
      } catch (error) {
        throw error instanceof RobotRestError ? error : new Error(t.noAnswer);
      }
      return t.joined(ssid);
    });
    onEnd(isJoined);
  };
  const field = (name: 'ssid' | 'password' | 'identity', label: string, type = 'text') => (
    <label>
      {label}
      <input
        type={type}
        value={typed[name]}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
      />
    </label>
  );
  return (
    <Card title={isNamed ? t.joinOf(chosen.ssid) : t.other} class="join">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void join();
        }}
      >
        <p class="notice warn">{t.cuts}</p>
        {!isNamed && field('ssid', t.ssid)}
        {!isNamed && (
          <label class="check">
            <input
              type="checkbox"
              checked={isHidden}
              onChange={({ currentTarget }) => setHidden(currentTarget.checked)}
            />
            {t.isHidden}
          </label>
        )}
        {(chosen.security === undefined || chosen.security === 'wpa-eap') && (
          <label>
            {t.method}
            <select
              value={typed.method}
              onChange={({ currentTarget }) => setTyped({ ...typed, method: currentTarget.value })}
            >
              <option value="">{t.unknown}</option>
              {METHODS.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          </label>
        )}
        {needsName && field('identity', t.identity)}
        {chosen.security !== 'open' && chosen.security !== 'owe' && field('password', t.password, 'password')}
        <Outcome of={action} />
        <div class="row">
          <ServiceButton type="submit" kind="primary" isOff={action.isBusy || typed.ssid === ''}>
            {action.isBusy ? t.joining : t.join}
          </ServiceButton>
          <button type="button" onClick={onCancel}>
            {t.cancel}
          </button>
        </div>
      </form>
    </Card>
  );
}
