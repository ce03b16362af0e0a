import { describe, expect, it } from '@jest/globals';
import { LogLines } from '../../../console/src/state/log-lines.ts';

const line = (message: string, priority: number | null = 6) => ({
  timestamp: '2026-05-04T10:20:30.123456Z',
  priority,
  message,
});
const messages = (lines: LogLines) => lines.fitting.map(({ message }) => message);

describe('The lines of a log in the console', () => {
  it('are the newest ten thousand, however many come', () => {
    const lines = new LogLines();
    for (let n = 0; n < 1000; n += 1) lines.add(Array.from({ length: 100 }, (_, each) => line(`${100 * n + each}`)));
    expect(lines.kept).toBeLessThanOrEqual(11_000);
    expect(lines.kept + lines.dropped).toBe(100_000);
    expect(messages(lines).at(-1)).toBe('99999');
    expect(messages(lines)[0]).toBe(String(lines.dropped));
    lines.add(Array.from({ length: 50_000 }, (_, each) => line(`more ${each}`)));
    expect(lines.kept).toBeLessThanOrEqual(11_000);
    expect(messages(lines).at(-1)).toBe('more 49999');
  });

  it('are cut, so that a few cannot take all memory', () => {
    const lines = new LogLines();
    lines.add([line('x'.repeat(1_000_000))]);
    expect(messages(lines)[0]?.length).toBe(1000);
  });

  it('fit a text in any case and a severity, also those that came before it', () => {
    const lines = new LogLines();
    lines.add([line('Wheel turned'), line('wheel broke', 3), line('no priority: wheel', null), line('door', 3)]);
    lines.filter('WHEEL', 4);
    expect(messages(lines)).toEqual(['wheel broke', 'no priority: wheel']);
    lines.add([line('wheel again', 4), line('wheel, for people who look closely', 7)]);
    expect(messages(lines)).toEqual(['wheel broke', 'no priority: wheel', 'wheel again']);
    lines.filter('', 7);
    expect(lines.fitting).toHaveLength(6);
  });
});
