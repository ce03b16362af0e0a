import '../shared.ts';
import { useState } from 'preact/hooks';
import type { components } from '../../../clients/typescript/src/index.ts';
import { texts as t } from '../texts/network.ts';
import { Card, Empty, Fact, Facts } from '../ui/card.tsx';
import { clock } from '../ui/format.ts';
import { Problem, ServiceButton } from '../ui/service-button.tsx';
import { useLoad } from '../ui/use-load.ts';
import { type Chosen, JoinForm } from './join-form.tsx';

type List = components['schemas']['WifiList'];
type Network = components['schemas']['WifiNetwork'];

/** The robot's Wi-Fi. */
export default function Network() {
  const { value, problem, isLoading, reload } = useLoad((of) => of.call('get', '/api/v2/network/get_wifi_list'));
  const [chosen, setChosen] = useState<Chosen>();
  return (
    <div class="grid">
      <div class="stack">
        <Card title={t.current}>{value && <Current of={value.current} />}</Card>
        {value?.last_configure && <LastCard of={value.last_configure} />}
        {chosen && (
          <JoinForm
            key={chosen.ssid}
            chosen={chosen}
            onEnd={(isJoined) => {
              if (isJoined) setChosen(undefined);
              void reload();
            }}
            onCancel={() => setChosen(undefined)}
          />
        )}
      </div>
      <Card
        title={t.networks}
        aside={
          <ServiceButton isOff={isLoading} onClick={() => void reload()}>
            {isLoading ? t.scanning : t.scan}
          </ServiceButton>
        }
      >
        <Problem of={problem} />
        {value?.networks.length === 0 && <Empty>{t.empty}</Empty>}
        <ul class="rows">
          {value?.networks.map((network) => (
            <NetworkLine key={`${network.bssid} ${network.ssid}`} of={network} onJoin={setChosen} />
          ))}
        </ul>
        {value && <ServiceButton onClick={() => setChosen({ ssid: '', security: undefined })}>{t.other}</ServiceButton>}
      </Card>
    </div>
  );
}

function Current({ of }: { of: List['current'] }) {
  if (!of) return <Empty>{t.none}</Empty>;
  return (
    <>
      <p class="figure value">
        <bdi>{of.ssid}</bdi>
      </p>
      <Facts>
        {of.signal !== null && (
          <Fact name={t.signal}>
            {t.percent(of.signal)}
            <meter min={0} max={100} value={of.signal} aria-label={t.signal} />
          </Fact>
        )}
        {of.band !== null && <Fact name={t.band}>{of.band}</Fact>}
        {of.security !== null && <Fact name={t.security}>{of.security}</Fact>}
        <Fact name={t.addresses}>
          <bdi>{of.ip_addresses.join(', ') || '–'}</bdi>
        </Fact>
      </Facts>
    </>
  );
}

function LastCard({ of: { ssid, outcome, code, finished_at: at } }: { of: NonNullable<List['last_configure']> }) {
  return (
    <Card title={t.last}>
      <p class={`value ${outcome === 'failed' ? 'bad' : ''}`}>
        <bdi>{(t.outcome[outcome] ?? t.outcome.unknown)(ssid)}</bdi>
      </p>
      <p class="muted">{[at && clock(at), code].filter(Boolean).join(' · ')}</p>
    </Card>
  );
}

function NetworkLine({ of, onJoin }: { of: Network; onJoin: (chosen: Chosen) => void }) {
  const name = of.ssid === '' ? t.hidden : of.ssid;
  return (
    <li class="row">
      <Bars signal={of.signal} />
      <span class="grow">
        <bdi class="value">{name}</bdi> {of.in_use && <span class="badge good">{t.inUse}</span>}{' '}
        {of.saved && !of.in_use && <span class="badge">{t.saved}</span>}
        <small class="line muted">{[of.band, of.security, t.percent(of.signal)].join(' · ')}</small>
      </span>
      {!of.in_use && of.security !== 'other' && (
        <ServiceButton
          label={t.joinOf(name)}
          onClick={() => onJoin({ ssid: of.ssid, security: of.security, isHidden: of.ssid === '' })}
        >
          {t.join}
        </ServiceButton>
      )}
    </li>
  );
}

/** Four bars; the number is beside them. */
function Bars({ signal }: { signal: number }) {
  return (
    <svg class="bars" viewBox="0 0 20 16" aria-hidden="true">
      {[0, 1, 2, 3].map((bar) => (
        <rect
          key={bar}
          class={signal > bar * 25 ? 'on' : ''}
          x={bar * 5}
          y={12 - bar * 4}
          width="4"
          height={4 + bar * 4}
          rx="1"
        />
      ))}
    </svg>
  );
}
