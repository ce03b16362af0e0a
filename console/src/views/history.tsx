import { type Sent, sent } from '../state/commands.ts';
import { answered } from '../state/live.ts';
import { texts } from '../texts.ts';
import { Empty } from '../ui/card.tsx';
import { block, clock, inline } from '../ui/format.ts';

const t = texts.commands;

/** What was sent from this page, newest first. */
export function SentHistory() {
  const entries = sent.value;
  if (entries.length === 0) return <Empty>{t.noHistory}</Empty>;
  return (
    <ol class="rows">
      {entries.map((entry) => (
        <li key={entry.id}>
          <SentLine entry={entry} />
        </li>
      ))}
    </ol>
  );
}

/** One command, what became of it, and the robot's answer. */
export function SentLine({ entry }: { entry: Sent }) {
  const { name, value, at, outcome, result, problem, replaced, ms } = entry;
  return (
    <div class="sent" role="status">
      <div class="row">
        <span class="grow">
          <bdi class="mono">{name}</bdi> <bdi class="muted mono">{inline(value)}</bdi>
        </span>
        <span class={`outcome ${outcome ?? ''}`}>{outcome ? t.outcome[outcome] : t.underWay}</span>
        <time class="muted">
          {clock(at)}
          {ms !== undefined && ` · ${ms} ms`}
        </time>
      </div>
      {problem !== undefined && (
        <p class="problem">
          <bdi>{problem}</bdi>
        </p>
      )}
      {replaced === true && <p class="muted">{t.replaced}</p>}
      {result !== undefined && <pre>{block(result)}</pre>}
    </div>
  );
}

/** Commands of all clients, as ADMIN and above may see them. */
export function OthersHistory() {
  const entries = answered.value;
  if (entries.length === 0) return <Empty>{t.noOthers}</Empty>;
  return (
    <ol class="rows">
      {entries.map(({ command, value, outcome, key_id: key, time }, n) => (
        <li key={`${time}${n.toString()}`}>
          <div class="row">
            <bdi class="grow mono">{command}</bdi>
            <span class={`outcome ${outcome}`}>{outcome.replaceAll('_', ' ')}</span>
            <span class="muted">
              <bdi>{key ?? texts.nothing}</bdi> · <time>{clock(time)}</time>
            </span>
          </div>
          {value !== undefined && <bdi class="muted mono">{inline(value)}</bdi>}
        </li>
      ))}
    </ol>
  );
}
