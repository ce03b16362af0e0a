const PATHS = {
  robot: 'M12 3v3M6 8h12a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM9 13v1M15 13v1',
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  drive: 'M12 2v20M2 12h20M12 2l-3 3M12 2l3 3M12 22l-3-3M12 22l3-3M2 12l3-3M2 12l3 3M22 12l-3-3M22 12l-3 3',
  commands: 'M5 7l5 5-5 5M12 18h7',
  skills: 'M13 2L5 13h6l-1 9 8-12h-6z',
  database: 'M4 6c0-2 3.6-3 8-3s8 1 8 3-3.6 3-8 3-8-1-8-3zM4 6v12c0 2 3.6 3 8 3s8-1 8-3V6M4 12c0 2 3.6 3 8 3s8-1 8-3',
  network: 'M2 9a15 15 0 0 1 20 0M5.5 13a10 10 0 0 1 13 0M9 16.5a5 5 0 0 1 6 0M12 20v.5',
  sound: 'M4 9v6h4l5 4V5L8 9zM16.5 8.5a5 5 0 0 1 0 7M19 6a9 9 0 0 1 0 12',
  logs: 'M5 4h14v16H5zM8 8h8M8 12h8M8 16h5',
  services: 'M4 4h16v6H4zM4 14h16v6H4zM8 7v.5M8 17v.5',
  language: 'M4 5h16v11H10l-5 4v-4H4z',
  keys: 'M8 15a4 4 0 1 1 3.5-6H21v4h-3v3h-4v-3h-2.5A4 4 0 0 1 8 15z',
  backups: 'M4 7l2-3h12l2 3v13H4zM4 8h16M12 11v6M9 14l3 3 3-3',
  audit: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4',
  out: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  edit: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4',
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
