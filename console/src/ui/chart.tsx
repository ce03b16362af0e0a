import { useEffect, useRef, useState } from 'preact/hooks';
import type { Course, Sample } from '../state/courses.ts';
import { texts as t } from '../texts/charts.ts';
import { Empty } from './card.tsx';
import { clock, number } from './format.ts';
import { type Line, Plot, type Range } from './plot.ts';

export type { Line } from './plot.ts';

const HEIGHT = 120;
const REDRAW_MS = 1000;
const MAX_ROWS = 12;

interface ChartProps {
  readonly of: Course;
  /** What it shows, at the beginning of a sentence. */
  readonly what: string;
  /** The same ones each time. */
  readonly lines: readonly Line[];
  /** Undefined: as its values need. */
  readonly range?: Range;
}

/** Lines over time, and a sentence for whoever does not see them. */
export function Chart({ of, what, lines, range }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>();
  const [pointed, setPointed] = useState<Sample>();
  useRedraw();
  const samples = untilNow(of.samples.peek());
  const isEmpty = samples.length === 0;
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const drawn = new Plot(box, { lines, range, height: HEIGHT, onPoint: setPointed });
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.resize(box.clientWidth));
    observer.observe(box);
    return () => {
      observer.disconnect();
      drawn.remove();
    };
  }, [isEmpty]);
  useEffect(() => plot.current?.show(samples));
  if (isEmpty) return <Empty>{t.nothing}</Empty>;
  return (
    <figure class="chart">
      <Key of={pointed} since={samples[0]?.atMs ?? 0} lines={lines} />
      <div ref={place} class="plot" role="img" aria-label={summaryOf(samples, what, lines)} />
    </figure>
  );
}

/** Which line is which, and what they are where somebody points. */
function Key({ of, since, lines }: { of: Sample | undefined; since: number; lines: readonly Line[] }) {
  return (
    <figcaption class="row caption" aria-hidden="true">
      {lines.map((line) => (
        <span key={line.name} class={`key ${line.isDashed === true ? 'dashed' : ''}`}>
          {line.name}, {line.unit} {of && <b>{shownOf(of, line)}</b>}
        </span>
      ))}
      <time>{of ? clock(new Date(of.atMs)) : t.since(clock(new Date(since)))}</time>
    </figcaption>
  );
}

/** What charts show, as a table of a few rows. */
export function Values({ of, what, lines }: Omit<ChartProps, 'range'>) {
  useRedraw();
  const [isOpen, setOpen] = useState(false);
  const samples = untilNow(of.samples.peek());
  const step = Math.max(1, (samples.length - 1) / (MAX_ROWS - 1));
  const shown = Array.from({ length: Math.min(MAX_ROWS, samples.length) }, (_, n) => samples[Math.round(n * step)]);
  return (
    <details class="values" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary aria-label={t.tableOf(what)}>{t.table}</summary>
      {isOpen && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t.time}</th>
              {lines.map(({ name, unit }) => (
                <th key={name} scope="col" class="num">
                  {name}, {unit}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(
              (sample, n) =>
                sample && (
                  <tr key={n.toString()}>
                    <td>{clock(new Date(sample.atMs))}</td>
                    {lines.map((line) => (
                      <td key={line.name} class="num value">
                        {shownOf(sample, line)}
                      </td>
                    ))}
                  </tr>
                ),
            )}
          </tbody>
        </table>
      )}
    </details>
  );
}

function useRedraw(): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((count) => count + 1), REDRAW_MS);
    return () => clearInterval(timer);
  }, []);
}

/** The last value holds until now, unless it is not known any more. */
function untilNow(samples: readonly Sample[]): readonly Sample[] {
  const last = samples.at(-1);
  return last?.values ? [...samples, { atMs: Math.max(last.atMs, Date.now()), values: last.values }] : samples;
}

function shownOf({ values }: Sample, { index, digits }: Line): string {
  return values ? number(values[index], digits) : t.unknown;
}

function summaryOf(samples: readonly Sample[], what: string, lines: readonly Line[]): string {
  const parts = lines.map((line) => {
    const known = samples.flatMap(({ values }) => values?.[line.index] ?? []);
    const [low, high] = [Math.min(...known), Math.max(...known)].map((value) => number(value, line.digits));
    const last = samples.at(-1);
    return t.line(line.name, low ?? '', high ?? '', last?.values ? `${shownOf(last, line)} ${line.unit}` : t.unknown);
  });
  const gaps = samples.filter(({ values }) => values === null).length;
  return t.summary(what, clock(new Date(samples[0]?.atMs ?? 0)), parts.join(', '), gaps);
}
