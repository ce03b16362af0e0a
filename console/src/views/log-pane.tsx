import { useEffect, useRef, useState } from 'preact/hooks';
import { followLog } from '../state/follow-log.ts';
import { LogLines } from '../state/log-lines.ts';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/logs.ts';
import { Problem } from '../ui/service-button.tsx';
import { sentencesOf } from '../ui/use-action.ts';
import { VirtualLines } from '../ui/virtual-lines.tsx';

const PRIORITY_OF_NOTE = 4;

/** One log, followed while it is shown. */
export function LogPane({ system, unit }: { system: 'head' | 'base'; unit: string }) {
  const lines = useRef(new LogLines());
  const [, redraw] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [text, setText] = useState('');
  const [severity, setSeverity] = useState(7);
  const [isFollowing, setFollowing] = useState(true);
  const changed = () => redraw((count) => count + 1);
  useEffect(() => {
    const of = robot.peek();
    if (!of) return;
    const over = new AbortController();
    const listener = {
      lines(fresh: Parameters<LogLines['add']>[0]) {
        lines.current.add(fresh);
        changed();
      },
      gap() {
        const timestamp = lines.current.newest ?? '';
        lines.current.add([{ timestamp, priority: PRIORITY_OF_NOTE, message: t.gap }]);
        changed();
      },
      problem: (error: unknown) => setProblem(error === undefined ? undefined : sentencesOf(error)),
    };
    void followLog(of, { system, unit }, listener, over.signal);
    return () => over.abort();
  }, [system, unit]);
  const filter = (nextText: string, nextSeverity: number) => {
    setText(nextText);
    setSeverity(nextSeverity);
    lines.current.filter(nextText, nextSeverity);
  };
  const { fitting, kept, dropped } = lines.current;
  return (
    <>
      <div class="filters">
        <label>
          {t.filter}
          <input type="search" value={text} onInput={({ currentTarget }) => filter(currentTarget.value, severity)} />
        </label>
        <label>
          {t.severity}
          <select value={severity} onChange={({ currentTarget }) => filter(text, Number(currentTarget.value))}>
            {t.severities.map((name, n) => (
              <option key={name} value={n === 0 ? 7 : 8 - n}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isFollowing}
            onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
          />
          {t.follow}
        </label>
      </div>
      <Problem of={problem} />
      <VirtualLines
        lines={fitting}
        label={t.lines(t.systems[system])}
        isFollowing={isFollowing}
        onScrollAway={() => setFollowing(false)}
        empty={kept === 0 ? t.empty : t.noMatch}
      />
      <p class="caption">
        {t.count(fitting.length, kept)} {dropped > 0 && t.dropped(dropped)}
      </p>
    </>
  );
}
