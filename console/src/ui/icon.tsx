const PATHS = {
  robot: 'M12 3v3M6 8h12a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM9 13v1M15 13v1',
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  drive: 'M12 2v20M2 12h20M12 2l-3 3M12 2l3 3M12 22l-3-3M12 22l3-3M2 12l3-3M2 12l3 3M22 12l-3-3M22 12l-3 3',
  commands: 'M5 7l5 5-5 5M12 18h7',
  out: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  forward: 'M12 20V5M5 12l7-7 7 7',
  back: 'M12 4v15M5 12l7 7 7-7',
  left: 'M20 12H5M12 5l-7 7 7 7',
  right: 'M4 12h15M12 5l7 7-7 7',
  turnLeft: 'M4 9h10a6 6 0 0 1 0 12h-3M9 4L4 9l5 5',
  turnRight: 'M20 9H10a6 6 0 0 0 0 12h3M15 4l5 5-5 5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
