import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LogLine } from '../state/log-lines.ts';

/** As the style sheet has it. */
const LINE_PX = 20;
/** Drawn above and below of what can be seen. */
const EXTRA = 20;

interface VirtualLinesProps {
  readonly lines: readonly LogLine[];
  readonly label: string;
  /** Whether the newest line stays in sight. */
  readonly isFollowing: boolean;
  /** Somebody has scrolled to older lines. */
  readonly onScrollAway: () => void;
  readonly empty: string;
}

/** A list of which only what can be seen is drawn, each line of one height. */
export function VirtualLines({ lines, label, isFollowing, onScrollAway, empty }: VirtualLinesProps) {
  const box = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (box.current && isFollowing) box.current.scrollTop = box.current.scrollHeight;
  });
  const height = box.current?.clientHeight ?? 400;
  const last = Math.max(0, lines.length * LINE_PX - height);
  const from = Math.max(0, Math.floor(Math.min(isFollowing ? last : top, last) / LINE_PX) - EXTRA);
  const shown = lines.slice(from, from + Math.ceil(height / LINE_PX) + 2 * EXTRA);
  const scrolled = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    if (isFollowing && scrollTop < top && scrollTop + clientHeight < scrollHeight - 2 * LINE_PX) onScrollAway();
    setTop(scrollTop);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
    <section ref={box} class="lines" tabIndex={0} aria-label={label} onScroll={scrolled}>
      {lines.length === 0 && <p class="empty">{empty}</p>}
      <div class="all" style={{ height: `${lines.length * LINE_PX}px` }}>
        <div class="seen" style={{ transform: `translateY(${from * LINE_PX}px)` }}>
          {shown.map(({ timestamp, priority, message }, n) => (
            <p key={from + n} class={`p${priority ?? 6}`} title={message}>
              <time>{timestamp.slice(11, 19)}</time> <bdi>{message}</bdi>
            </p>
          ))}
        </div>
      </div>
    </section>
  );
}
