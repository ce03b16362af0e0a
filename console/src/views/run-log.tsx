import { useEffect, useRef, useState } from 'preact/hooks';
import { SseParser } from '../../../clients/typescript/src/sse.ts';
import { ask } from '../state/ask.ts';
import { isAnswering } from '../state/link.ts';
import { LogLines } from '../state/log-lines.ts';
import { membersOf } from '../state/objects.ts';
import { texts as t } from '../texts/skills.ts';
import { Problem } from '../ui/service-button.tsx';
import { sentencesOf } from '../ui/use-action.ts';
import { VirtualLines } from '../ui/virtual-lines.tsx';

const WARNING = 4;
const INFORMATION = 6;
const REDRAW_MS = 100;

/** What a run prints, from its beginning and as it comes. */
export function RunLog({ id, name }: { id: string; name: string }) {
  const lines = useRef(new LogLines());
  const [, redraw] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [isOver, setOver] = useState(false);
  const [isFollowing, setFollowing] = useState(true);
  const isThere = isAnswering.value;
  useEffect(() => {
    if (!isThere || isOver) return;
    const over = new AbortController();
    lines.current = new LogLines();
    const timer = setInterval(() => redraw((count) => count + 1), REDRAW_MS);
    const read = async () => {
      const path = `api/v2/runs/${encodeURIComponent(id)}/logs?follow=true`;
      const response = await ask('GET', path, { headers: { Accept: 'text/event-stream' }, signal: over.signal });
      const parser = new SseParser();
      for await (const piece of response.body ?? []) {
        for (const { event, data } of parser.feed(piece)) {
          if (event === 'end') return setOver(true);
          const { timestamp, stream, message } = membersOf(JSON.parse(data)) ?? {};
          const priority = stream === 'stderr' ? WARNING : INFORMATION;
          lines.current.add([{ timestamp: String(timestamp), priority, message: String(message) }]);
        }
      }
    };
    read()
      .then(() => setProblem(undefined))
      .catch((error: unknown) => !over.signal.aborted && setProblem(sentencesOf(error)))
      .finally(() => {
        clearInterval(timer);
        if (!over.signal.aborted) redraw((count) => count + 1);
      });
    return () => {
      clearInterval(timer);
      over.abort();
    };
  }, [id, isThere]);
  return (
    <div class="run-log">
      <Problem of={problem} />
      <VirtualLines
        lines={lines.current.fitting}
        label={t.logOf(name)}
        isFollowing={isFollowing}
        onScrollAway={() => setFollowing(false)}
        empty={t.empty}
      />
      <p class="caption" role="status">
        {isOver && t.ended} {lines.current.dropped > 0 && t.truncated}
      </p>
    </div>
  );
}
