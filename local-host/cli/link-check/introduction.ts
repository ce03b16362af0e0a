import type { Motion } from './motion.ts';

interface Movements {
  /** --yes was given. */
  readonly yes: boolean;
  readonly motion: Motion | undefined;
  /** A check will drive it by hand. */
  readonly byHand: boolean;
}

/** What the checks will do to the robot, in one sentence that leaves no movement out. */
export function introduction(robot: string, { yes, motion, byHand }: Movements): string {
  if (!yes) return `${robot}: without --yes it is stopped and not moved.`;
  const without = motion ? '' : ' It has no motion that the other checks could use; name one with --move.';
  if (!motion && !byHand) return `${robot}: it is stopped and not moved.${without}`;
  const value = motion?.value === undefined ? '' : ` with ${JSON.stringify(motion.value)}`;
  const ways = [
    ...(motion ? [`moved by ${motion.command}${value}, several times`] : []),
    ...(byHand ? ['driven by hand at 0.1 m/s'] : []),
    'stopped',
  ];
  const [last, ...rest] = ways.reverse();
  return `${robot}: it will be ${rest.reverse().join(', ')}, and ${last}. Keep clear of it.${without}`;
}
