import { signal } from '@preact/signals';

export const VIEWS = ['overview', 'drive', 'commands'] as const;
export type View = (typeof VIEWS)[number];

export const view = signal<View>(named());

function named(): View {
  const name = location.hash.slice(1);
  return VIEWS.find((one) => one === name) ?? 'overview';
}

/** The view is the fragment of the address. The heading gets the focus, as on a new page. */
export function watchRoute(): void {
  window.addEventListener('hashchange', () => {
    view.value = named();
    requestAnimationFrame(() => document.querySelector('h1')?.focus());
  });
}
