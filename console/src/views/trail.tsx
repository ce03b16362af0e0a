import type { Point } from '../state/courses.ts';

const PLAN_WIDTH = 320;
const PLAN_HEIGHT = 200;
const MIN_SPAN_M = 2;
const MARGIN = 1.3;
/** Pixels between two lines of the mesh, at least; they are 1 m apart, or a power of ten. */
const MIN_MESH = 24;

/** Where the robot has been, seen from above, and where it looks. */
export function Trail({ points, theta, label }: { points: readonly Point[]; theta: number; label: string }) {
  const here = points.at(-1);
  if (!here) return null;
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min(
    PLAN_WIDTH / Math.max(MIN_SPAN_M, (right - left) * MARGIN),
    PLAN_HEIGHT / Math.max(MIN_SPAN_M, (high - low) * MARGIN),
  );
  const place = ({ x, y }: Point) => ({
    x: PLAN_WIDTH / 2 + (x - (left + right) / 2) * scale,
    y: PLAN_HEIGHT / 2 - (y - (low + high) / 2) * scale,
  });
  const path = points.map(
    (point, n) => `${n === 0 ? 'M' : 'L'}${place(point).x.toFixed(1)} ${place(point).y.toFixed(1)}`,
  );
  const at = place(here);
  const columns = lines(PLAN_WIDTH / 2, scale).map((x) => `M${x.toFixed(1)} 0V${PLAN_HEIGHT}`);
  const rows = lines(PLAN_HEIGHT / 2, scale).map((y) => `M0 ${y.toFixed(1)}H${PLAN_WIDTH}`);
  return (
    <svg
      class="trail"
      viewBox={`0 0 ${PLAN_WIDTH} ${PLAN_HEIGHT}`}
      preserveAspectRatio="xMidYMid slice"
      role="img"
      aria-label={label}
    >
      <path class="mesh" d={[...columns, ...rows].join('')} />
      <path class="path" d={path.join('')} />
      <g transform={`translate(${at.x.toFixed(1)} ${at.y.toFixed(1)}) rotate(${(-theta).toFixed(1)})`}>
        <circle class="here" r="8" />
        <path class="nose" d="M-4 -4L6 0L-4 4L-2 0Z" />
      </g>
    </svg>
  );
}

/** Lines to both sides of the middle. */
function lines(half: number, scale: number): number[] {
  const step = scale * 10 ** Math.max(0, Math.ceil(Math.log10(MIN_MESH / scale)));
  const count = Math.floor(half / step);
  return Array.from({ length: 2 * count + 1 }, (_, n) => half + (n - count) * step);
}
