import { signal } from '@preact/signals';

export const VIEWS = ['overview', 'drive', 'commands'] as const;
export type View = (typeof VIEWS)[number];

export const view = signal<View>(named());

function named(): View {
  const name = location.hash.slice(1);
  return VIEWS.find((one) => one === name) ?? 'overview';
}

/** The pairing code of a link `…/#pair=<code>`, which no longer shows it then, nor does the history. */
export function takePairingCode(): string | undefined {
  const code = /^#pair=(.*)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** The view is the fragment of the address. The heading gets the focus, as on a new page. */
export function watchRoute(): void {
  window.addEventListener('hashchange', () => {
    view.value = named();
    requestAnimationFrame(() => document.querySelector('h1')?.focus());
  });
}
