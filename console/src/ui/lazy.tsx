import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

const t = texts.lazy;

type Load<P> = () => Promise<{ readonly default: ComponentType<P> }>;
const loaded = new Map<unknown, unknown>();

interface LazyProps<P> {
  /** The same function each time. */
  readonly load: Load<P>;
  readonly props: NoInfer<P>;
}

/** A part of the page that is loaded when it is first shown. */
export function Lazy<P extends object>({ load, props }: LazyProps<P>) {
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);
  const [, redraw] = useState(0);
  useEffect(() => {
    if (loaded.has(load)) return;
    let isShown = true;
    setFailed(false);
    load().then(
      (module) => {
        loaded.set(load, module.default);
        if (isShown) redraw((count) => count + 1);
      },
      () => isShown && setFailed(true),
    );
    return () => {
      isShown = false;
    };
  }, [load, attempt]);
  const Part = loaded.get(load) as ComponentType<P> | undefined; // as: what this function has loaded
  if (Part) return <Part {...props} />;
  if (!failed) return <p class="empty">{t.loading}</p>;
  return (
    <div class="notice warn" role="alert">
      <span class="grow">{t.failed}</span>
      <button type="button" onClick={() => setAttempt(attempt + 1)}>
        {t.again}
      </button>
      <button type="button" onClick={() => window.location.reload()}>
        {t.reload}
      </button>
    </div>
  );
}
