import { useEffect, useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { AccessLevel, components } from '../../../clients/typescript/src/index.ts';
import { base } from '../state/base.ts';
import { level, robot } from '../state/session.ts';
import { texts as t } from '../texts/keys.ts';
import { Card } from '../ui/card.tsx';
import { Outcome, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';
import { LevelSelect } from './level-select.tsx';

type Tls = components['schemas']['TlsState'];

interface Shown {
  readonly code: string;
  /** By the clock of this page, which may be another than the robot's. */
  readonly endsAt: number;
}

const LIFE_MS = 60_000;

/** Signs another device in, by a code that is good once. */
export function Pair() {
  const action = useAction();
  const { value: tls } = useLoad((of) => of.call('get', '/api/v2/certificate/'));
  const [wanted, setWanted] = useState<AccessLevel>('USER');
  const [shown, setShown] = useState<Shown>();
  const make = () =>
    action.run(async () => {
      const begun = performance.now();
      const answer = await robot.value?.call('post', '/api/v2/auth/pairing', { body: { level: wanted } });
      setShown(answer && { code: answer.code, endsAt: begun + LIFE_MS });
      return undefined;
    });
  return (
    <Card title={t.pair}>
      <p class="muted">{t.pairIntro}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <LevelSelect value={wanted} atMost={level.value ?? 'USER'} onChange={setWanted} />
        <ServiceButton type="submit" kind="primary" isOff={action.isBusy}>
          {t.makeCode}
        </ServiceButton>
      </form>
      <Outcome of={action} />
      {shown && <Code key={shown.code} of={shown} tls={tls} />}
    </Card>
  );
}

function Code({ of: { code, endsAt }, tls }: { of: Shown; tls: Tls | undefined }) {
  const [left, setLeft] = useState(Math.ceil((endsAt - performance.now()) / 1000));
  useEffect(() => {
    const timer = setInterval(() => setLeft(Math.ceil((endsAt - performance.now()) / 1000)), 500);
    return () => clearInterval(timer);
  }, [endsAt]);
  if (left <= 0) return <p role="status">{t.over}</p>;
  const link = linkOf(code, tls);
  return (
    <div class="pairing">
      <Qr text={link} />
      <div class="stack">
        <p role="timer">{t.left(left)}</p>
        <div>
          <h3>{t.code}</h3>
          <p class="mono">
            <bdi>{code}</bdi>
          </p>
        </div>
        <div>
          <h3>{t.link}</h3>
          <p class="mono">
            <bdi>{link}</bdi>
          </p>
        </div>
        {tls?.certificate && link.startsWith('https:') && (
          <div>
            <h3>{t.fingerprint}</h3>
            <p class="mono">
              <bdi>{tls.certificate.sha256}</bdi>
            </p>
            <p class="muted">{t.fingerprintAbout}</p>
          </div>
        )}
      </div>
    </div>
  );
}

/** Over TLS where the robot has it: the token of the other device is then nobody else's to read. */
function linkOf(code: string, tls: Tls | undefined): string {
  const url = new URL(base);
  if (url.protocol === 'http:' && tls?.certificate && tls.port !== null) {
    url.protocol = 'https:';
    url.port = String(tls.port);
  }
  url.hash = `pair=${code}`;
  return url.href;
}

function Qr({ text }: { text: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t.qr} shape-rendering="crispEdges">
      <path d={path.join('')} />
    </svg>
  );
}
