import '../shared.ts';
import { useEffect, useState } from 'preact/hooks';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/sound.ts';
import { Card, Fact, Facts } from '../ui/card.tsx';
import { Outcome, Problem, ServiceButton } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { useLoad } from '../ui/use-load.ts';

const EVERY_MS = 5000;
const STEP = 5;

/** How loud the robot is. */
export default function Sound() {
  const { value, problem, reload } = useLoad((of) => of.call('get', '/api/v2/volume/'), [], EVERY_MS);
  const action = useAction();
  /** What is shown while a finger is on it, and until the service has answered. */
  const [wanted, setWanted] = useState<number>();
  const percent = wanted ?? Math.round(value?.percentage.value ?? 0);
  const post = (body: { percentage: { value: number } } | { muted: boolean }) =>
    action.run(async () => {
      await robot.value?.call('post', '/api/v2/volume/', { body });
      await reload();
      return undefined;
    });
  const set = (next: number) => {
    const level = Math.min(100, Math.max(0, next));
    setWanted(level);
    void post({ percentage: { value: level } }).then(() => setWanted(undefined));
  };
  useEffect(() => action.forget, []);
  if (!value) return <Problem of={problem} />;
  return (
    <Card title={t.volume} class="narrow">
      <p class="figure value">{t.of(percent)}</p>
      {value.muted && <p class="notice warn">{t.muted}</p>}
      <div class="row">
        <ServiceButton label={t.quieter} isOff={action.isBusy} onClick={() => set(percent - STEP)}>
          −
        </ServiceButton>
        <input
          class="grow"
          type="range"
          min={0}
          max={100}
          aria-label={t.volume}
          aria-valuetext={t.of(percent)}
          value={percent}
          onInput={({ currentTarget }) => setWanted(Number(currentTarget.value))}
          onChange={({ currentTarget }) => set(Number(currentTarget.value))}
        />
        <ServiceButton label={t.louder} isOff={action.isBusy} onClick={() => set(percent + STEP)}>
          +
        </ServiceButton>
      </div>
      <ServiceButton isOff={action.isBusy} onClick={() => void post({ muted: !value.muted })}>
        {value.muted ? t.unmute : t.mute}
      </ServiceButton>
      <Outcome of={{ problem: action.problem ?? problem, done: action.done }} />
      <Facts>
        <Fact name={t.device}>
          <bdi>{value.device}</bdi>
        </Fact>
      </Facts>
      {value.of === 'host' && <p class="muted">{t.ofHost}</p>}
    </Card>
  );
}
