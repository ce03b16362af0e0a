import { isAnswering, isOutdated, silenceMs, status } from '../state/link.ts';
import { ageMs, isStale } from '../state/live.ts';
import { VIEWS, type View, view } from '../state/route.ts';
import { robot } from '../state/session.ts';
import { texts } from '../texts.ts';
import { duration } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Commands } from '../views/commands.tsx';
import { Drive } from '../views/drive.tsx';
import { Overview } from '../views/overview.tsx';
import { LinkBar } from './link-bar.tsx';
import { Login } from './login.tsx';
import { StopBar } from './stop-bar.tsx';

const CONTENT: Readonly<Record<View, () => preact.JSX.Element>> = {
  overview: Overview,
  drive: Drive,
  commands: Commands,
};

/** The frame of every view: what is at the other end, the views, and Stop. */
export function Shell() {
  const Content = CONTENT[view.value];
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
          <Content />
        </main>
      ) : (
        <Login />
      )}
      <StopBar />
    </div>
  );
}

function Views() {
  return (
    <nav class="views" aria-label={texts.nav}>
      {VIEWS.map((name) => (
        <a key={name} href={`#${name}`} aria-current={view.value === name ? 'page' : undefined}>
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
