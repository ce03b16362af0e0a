import type { Outcome } from './run-checks.ts';

/** The lines about one rule. */
export function outcomeLines({ check, faults, notChecked }: Outcome): string {
  const mark = faults.length > 0 ? 'FAULT ' : notChecked === undefined ? 'sound ' : '-     ';
  const more = notChecked === undefined ? faults : [`not checked: ${notChecked}`];
  return [`${mark} ${check.name.padEnd(15)} ${check.title}`, ...more.map((line) => `       ${line}`)].join('\n');
}

/** The last line. */
export function summaryOf(outcomes: readonly Outcome[], document: string): string {
  const faulty = outcomes.filter(({ faults }) => faults.length > 0).map(({ check }) => check.name);
  const open = outcomes.filter(({ notChecked }) => notChecked !== undefined).length;
  const rest = open === 0 ? '' : ` ${open} of ${outcomes.length} rules were not checked.`;
  if (faulty.length > 0) return `Not sound: ${faulty.join(', ')}.${rest} See ${document}.`;
  return open === 0 ? 'Sound.' : `No faults found.${rest}`;
}
