import { axes, OURS, type Results, rateOf } from './results.ts';

const WIDTH = 720;
const LABEL = 110;
const BAR = 16;
const GAP = 18;
const FULL = WIDTH - LABEL - 90;
const COLOURS: Record<string, string> = { [OURS]: '#2563eb', bare: '#9ca3af' };
const OTHER = '#cbd5e1';

/** A bar chart of the command path, one group per number of connections, as an SVG for light and dark pages. */
export function chartOf(results: Results): string {
  const { connections, peers } = axes(results);
  const [first = OURS, ...rest] = peers;
  const names = [first, OURS, ...rest];
  const most = Math.max(...results.commands.map(({ requestsPerSecond }) => requestsPerSecond));
  const parts: string[] = [];
  let y = 30;
  for (const many of connections) {
    parts.push(text(0, y, `${many} ${many === 1 ? 'connection' : 'connections'}`, 'bold'));
    y += 8;
    for (const name of names) {
      const rate = rateOf(results, name, many);
      const length = Math.max(1, Math.round((rate / most) * FULL));
      parts.push(text(LABEL - 8, y + BAR - 4, name, 'normal', 'end'));
      parts.push(
        `<rect x="${LABEL}" y="${y}" width="${length}" height="${BAR - 3}" fill="${COLOURS[name] ?? OTHER}"/>`,
      );
      parts.push(text(LABEL + length + 6, y + BAR - 4, String(Math.round(rate))));
      y += BAR;
    }
    y += GAP + 8;
  }
  const title = 'Commands a second: token, schema, command, answer';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    text(0, 12, title, 'bold'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, value: string, weight = 'normal', anchor = 'start'): string {
  return `<text x="${x}" y="${y}" font-weight="${weight}" text-anchor="${anchor}" fill="#111827">${value}</text>`;
}
