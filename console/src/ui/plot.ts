import uPlot from 'uplot';
import css from 'uplot/dist/uPlot.min.css' with { type: 'text' };
import type { Sample } from '../state/courses.ts';

/** One line of a chart. */
export interface Line {
  readonly name: string;
  /** Among the values of a sample. */
  readonly index: number;
  readonly unit: string;
  readonly digits: number;
  /** A custom property of the style sheet. */
  readonly colour: string;
  readonly isDashed?: boolean;
  /** Degrees: from 180 on it goes on at -180. */
  readonly isAngle?: boolean;
}

/** What the vertical axis shows whatever the values. */
export interface Range {
  readonly low: number;
  readonly high: number;
  readonly step: number;
}

export interface PlotOptions {
  readonly lines: readonly Line[];
  readonly range: Range | undefined;
  readonly height: number;
  /** Which sample is pointed at. */
  readonly onPoint: (sample: Sample | undefined) => void;
}

/** In pixels, less what is free beside the chart. */
const HALF_A_TIME = 22;
const MIN_SPAN_MS = 20_000;
/** Of an axis that follows its values. */
const MIN_HEIGHT = 1;
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const TIME_S = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The policy of the page allows sheets that a script has made, not text in a style element. */
function adoptStyle(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
adoptStyle();

/** Draws lines over time into an element, in the colours that the style sheet has at that moment. */
export class Plot {
  readonly #plot: uPlot;
  readonly #lines: readonly Line[];
  #drawn: readonly Sample[] = [];
  #from = 0;
  #to = 1;

  constructor(place: HTMLElement, { lines, range, height, onPoint }: PlotOptions) {
    const colour = (name: string) => () => getComputedStyle(place).getPropertyValue(name);
    const axis = { stroke: colour('--muted'), font: FONT, ticks: { show: false }, gap: 4 };
    const grid = { stroke: colour('--line'), width: 1 };
    this.#lines = lines;
    this.#plot = new uPlot(
      {
        width: Math.max(1, place.clientWidth),
        height,
        ms: 1,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { setScale: false, x: false, y: false } },
        scales: {
          x: { range: () => [this.#from, this.#to] },
          y: { range: (_, low, high) => (range ? [range.low, range.high] : padded(low, high)) },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 28,
            gap: 8,
            space: 68,
            values: (plot, at, _axis, _space, step) => timesOf(plot, at, step),
          },
          { ...axis, grid, size: 44, space: 28, ...(range && { splits: () => splitsOf(range) }) },
        ],
        series: [
          {},
          ...lines.map(({ colour: name, isDashed }) => ({
            stroke: colour(name),
            width: 2,
            points: { show: false },
            ...(isDashed === true && { dash: [6, 3] }),
          })),
        ],
        hooks: { setCursor: [({ cursor: { idx } }) => onPoint(this.#drawn[idx ?? -1])] },
      },
      [[], ...lines.map(() => [])],
      place,
    );
  }

  show(samples: readonly Sample[]): void {
    this.#drawn = withBreaks(samples, this.#lines.find(({ isAngle }) => isAngle)?.index);
    this.#to = Date.now();
    this.#from = Math.min(samples[0]?.atMs ?? this.#to, this.#to - MIN_SPAN_MS);
    const columns = this.#lines.map(({ index }) => this.#drawn.map(({ values }) => values?.[index] ?? null));
    this.#plot.setData([this.#drawn.map(({ atMs }) => atMs), ...columns]);
  }

  resize(width: number): void {
    if (width > 0) this.#plot.setSize({ width, height: this.#plot.height });
  }

  remove(): void {
    this.#plot.destroy();
  }
}

/** So that no line leads from 180 to -180 degrees. */
function withBreaks(samples: readonly Sample[], angle: number | undefined): readonly Sample[] {
  if (angle === undefined) return samples;
  return samples.flatMap((sample, n) => {
    const before = samples[n - 1];
    const turn = Math.abs((sample.values?.[angle] ?? 0) - (before?.values?.[angle] ?? 0));
    const isBroken = before?.values && sample.values && turn > 180;
    return isBroken ? [{ atMs: (before.atMs + sample.atMs) / 2, values: null }, sample] : [sample];
  });
}

/** Null where there is no value. */
function padded(low: number | null, high: number | null): uPlot.Range.MinMax {
  const [from, to] = [low ?? 0, high ?? 0];
  const missing = Math.max(0, MIN_HEIGHT - (to - from)) / 2;
  const margin = (to - from) * 0.08;
  return [from - missing - margin, to + missing + margin];
}

/** Without those that the right edge would cut. */
function timesOf(plot: uPlot, at: readonly number[], stepMs: number): string[] {
  const edge = plot.over.clientWidth - HALF_A_TIME;
  return at.map((time) =>
    plot.valToPos(time, 'x', false) > edge ? '' : (stepMs < 60_000 ? TIME_S : TIME).format(time),
  );
}

function splitsOf({ low, high, step }: Range): number[] {
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, n) => low + n * step);
}
