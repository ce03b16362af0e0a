export const texts = {
  battery: 'The battery',
  pose: 'The position',
  heading: 'The heading',
  level: 'level',
  trail: (x: string, y: string) => `Where the robot has been; it is at ${x}, ${y} metres`,
  since: (time: string) => `since ${time}`,
  summary: (what: string, since: string, lines: string, gaps: number) =>
    `${what} since ${since}: ${lines}${gaps === 0 ? '' : `; not known for ${gaps === 1 ? 'a while' : `${gaps} times`}`}`,
  line: (name: string, low: string, high: string, last: string) => `${name} between ${low} and ${high}, now ${last}`,
  nothing: 'No values yet.',
  table: 'As a table',
  tableOf: (what: string) => `${what} as a table`,
  time: 'Time',
  unknown: 'not known',
} as const;
