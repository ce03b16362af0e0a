import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

const t = texts.lazy;

type Load = () => Promise<{ readonly default: ComponentType }>;
const loaded = new Map<Load, ComponentType>();

/** A part of the page that is loaded when it is first shown. @param load has to be the same function each time. */
export function Lazy({ load }: { load: Load }) {
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
  const Part = loaded.get(load);
  if (Part) return <Part />;
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
