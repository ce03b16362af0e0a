import { useEffect, useRef } from 'preact/hooks';
import { isAnswering, isOutdated, silenceMs, status } from '../state/link.ts';
import { ageMs, isStale } from '../state/live.ts';
import { type View, view, views } from '../state/route.ts';
import { robot } from '../state/session.ts';
import { texts } from '../texts.ts';
import { duration } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { Commands } from '../views/commands.tsx';
import { Drive } from '../views/drive.tsx';
import { Overview } from '../views/overview.tsx';
import { LinkBar } from './link-bar.tsx';
import { Login } from './login.tsx';
import { StopBar } from './stop-bar.tsx';

const AT_ONCE = { overview: Overview, drive: Drive, commands: Commands } as const;
/** What is loaded when it is first opened. */
const LATER = {
  skills: () => import('../views/skills.tsx'),
  language: () => import('../views/language.tsx'),
  database: () => import('../views/database.tsx'),
  network: () => import('../views/network.tsx'),
  sound: () => import('../views/sound.tsx'),
  logs: () => import('../views/logs.tsx'),
  services: () => import('../views/services.tsx'),
  keys: () => import('../views/keys.tsx'),
  backups: () => import('../views/backups.tsx'),
  audit: () => import('../views/audit.tsx'),
} as const satisfies Readonly<Record<Exclude<View, keyof typeof AT_ONCE>, () => Promise<object>>>;

/** The frame of every view: what is at the other end, the views, and Stop. */
export function Shell() {
  const isSignedIn = robot.value !== undefined;
  return (
    <div class={`shell ${isSignedIn ? '' : 'signed-out'}`}>
      <LinkBar />
      {isSignedIn && <Views />}
      {isSignedIn ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
        <main key={view.value} class={isStale.value ? 'stale' : ''} tabIndex={0}>
          <Notices />
          <h1 tabIndex={-1}>{texts.views[view.value]}</h1>
          <Content of={view.value} />
        </main>
      ) : (
        <Login />
      )}
      <StopBar />
    </div>
  );
}

function Content({ of }: { of: View }) {
  if (!(of in AT_ONCE)) {
    return (
      <div class="daily">
        <Lazy load={LATER[of as keyof typeof LATER]} props={{}} /> {/* as: the other ones */}
      </div>
    );
  }
  const AtOnce = AT_ONCE[of as keyof typeof AT_ONCE]; // as: it is in there
  return <AtOnce />;
}

function Views() {
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest', inline: 'center' }), [view.value]);
  return (
    <nav class="views" aria-label={texts.nav}>
      {views.value.map((name) => (
        <a
          key={name}
          ref={view.value === name ? current : null}
          // In full: axe takes a fragment alone that is scrolled out of sight for a link that skips something.
          href={new URL(`#${name}`, location.href).href}
          aria-current={view.value === name ? 'page' : undefined}
        >
          <Icon name={name} />
          {texts.views[name]}
        </a>
      ))}
    </nav>
  );
}

/** What everybody has to know before reading on. */
function Notices() {
  const t = texts.link;
  return (
    <div class="notices">
      <p class="sr-only" role="status">
        {isAnswering.value ? '' : t.noAnswer}
      </p>
      {!isAnswering.value && <p class="notice bad">{t.old(duration(silenceMs.value))}</p>}
      {isAnswering.value && isStale.value && ageMs.value > 3000 && (
        <p class="notice warn">{t.oldEvents(duration(ageMs.value))}</p>
      )}
      {isAnswering.value && status.value?.robot === 'disconnected' && (
        <p class="notice bad">
          {t.robotAway} <bdi>{status.value.robot_problem}</bdi>
        </p>
      )}
      {isOutdated.value && (
        <p class="notice info">
          {t.outdated}{' '}
          <button type="button" onClick={() => window.location.reload()}>
            {t.reload}
          </button>
        </p>
      )}
    </div>
  );
}
