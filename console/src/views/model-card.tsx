import { useEffect, useRef, useState } from 'preact/hooks';
import { isRobotItself } from '../state/live.ts';
import { texts } from '../texts.ts';
import { Card } from '../ui/card.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { useLoad } from '../ui/use-load.ts';

const t = texts.overview;
const model = () => import('./model.tsx');

/** The model of the robot, where it has a description. */
export function ModelCard() {
  const { value } = useLoad((of) => of.call('get', '/api/v2/urdf/'));
  const [chosen, setChosen] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place, value);
  const names = value?.urdf ?? [];
  const name = names.find((one) => one === chosen) ?? names[0];
  if (!isRobotItself.value || name === undefined) return null;
  return (
    <Card title={t.model}>
      {names.length > 1 && (
        <select
          aria-label={t.description}
          value={name}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
      <div ref={place} class="model-place">
        {isSeen && <Lazy key={name} load={model} props={{ name }} />}
      </div>
    </Card>
  );
}

/** Whether somebody has scrolled to it: what draws the model is larger than everything else together. */
function useSeen(place: { readonly current: Element | null }, when: unknown): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setSeen(true));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [when]);
  return isSeen;
}
