import { computed, signal } from '@preact/signals';
import type { AccessLevel } from '../../../clients/typescript/src/index.ts';
import { isRobotItself } from './live.ts';
import { isAtLeast } from './session.ts';

/** The views in the order of the links, and who may do something in them. */
const LEVELS = {
  overview: 'USER',
  drive: 'USER',
  commands: 'USER',
  skills: 'USER',
  database: 'USER',
  network: 'ADMIN',
  sound: 'USER',
  logs: 'ADMIN',
  services: 'ADMIN',
  language: 'ENCHANTER',
  keys: 'USER',
  backups: 'ADMIN',
  audit: 'ENCHANTER',
} as const satisfies Readonly<Record<string, AccessLevel>>;

export type View = keyof typeof LEVELS;

const VIEWS = Object.keys(LEVELS) as View[]; // as: its keys
/** What a robot of a fleet has here, too. */
const EVERYWHERE: ReadonlySet<View> = new Set(['overview', 'drive', 'commands']);

/** The views of whoever is signed in. */
export const views = computed<readonly View[]>(() =>
  VIEWS.filter((one) => isAtLeast(LEVELS[one]) && (isRobotItself.value || EVERYWHERE.has(one))),
);

const fragment = signal(location.hash.slice(1));

/** The one that is shown. */
export const view = computed<View>(() => views.value.find((one) => one === fragment.value) ?? 'overview');

/** The pairing code of a link `…/#pair=<code>`, which no longer shows it then, nor does the history. */
export function takePairingCode(): string | undefined {
  const code = /^#pair=(.*)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** The view is the fragment of the address. The heading gets the focus, as on a new page. */
export function watchRoute(): void {
  window.addEventListener('hashchange', () => {
    fragment.value = location.hash.slice(1);
    requestAnimationFrame(() => document.querySelector('h1')?.focus());
  });
}
