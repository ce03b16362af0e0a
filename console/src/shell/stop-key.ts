import { signal } from '@preact/signals';
import { pressStop } from '../state/stop.ts';

const HOLD_MS = 500;

/** Esc is being held, and will press Stop. */
export const isHolding = signal(false);

/** Esc held for half a second presses Stop, whatever has the focus. */
export function watchStopKey(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    isHolding.value = false;
  };
  window.addEventListener(
    'keydown',
    ({ key, repeat }) => {
      if (key !== 'Escape' || repeat) return;
      end();
      isHolding.value = true;
      timer = setTimeout(() => {
        isHolding.value = false;
        void pressStop();
      }, HOLD_MS);
    },
    true,
  );
  window.addEventListener('keyup', ({ key }) => key === 'Escape' && end(), true);
  window.addEventListener('blur', end);
}
