import '../shared.ts';
import { batteryCourse, poseCourse, trail } from '../state/courses.ts';
import { isBasePose, state } from '../state/live.ts';
import { texts as t } from '../texts/charts.ts';
import { Chart, type Line, Values } from '../ui/chart.tsx';
import { number } from '../ui/format.ts';
import { Trail } from './trail.tsx';

const LEVEL: readonly Line[] = [{ name: t.level, index: 0, digits: 0, unit: '%', colour: '--accent' }];
const POSITION: readonly Line[] = [
  { name: 'x', index: 0, digits: 2, unit: 'm', colour: '--accent' },
  { name: 'y', index: 1, digits: 2, unit: 'm', colour: '--second', isDashed: true },
];
const HEADING: readonly Line[] = [{ name: 'θ', index: 2, digits: 0, unit: '°', colour: '--accent', isAngle: true }];
const POSE = [...POSITION, ...HEADING];
const PERCENT = { low: 0, high: 100, step: 50 };
const DEGREES = { low: -180, high: 180, step: 90 };

/** How battery or pose have been since the page was opened. */
export default function Of({ what }: { what: 'battery' | 'pose' }) {
  if (what === 'battery') {
    return (
      <>
        <Chart of={batteryCourse} what={t.battery} lines={LEVEL} range={PERCENT} />
        <Values of={batteryCourse} what={t.battery} lines={LEVEL} />
      </>
    );
  }
  const pose = state.value?.pose;
  const isBase = pose !== undefined && isBasePose(pose);
  return (
    <>
      {isBase && <Trail points={trail.value} theta={pose.theta} label={t.trail(number(pose.x), number(pose.y))} />}
      <Chart of={poseCourse} what={t.pose} lines={POSITION} />
      <Chart of={poseCourse} what={t.heading} lines={HEADING} range={DEGREES} />
      <Values of={poseCourse} what={t.pose} lines={POSE} />
    </>
  );
}
