import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CommandError } from '../entry.ts';
import { type Actions, note, parse, print, query, segment } from './actions.ts';
import { copyOut } from './files.ts';

const LOG_OPTIONS = {
  since: { type: 'string' },
  until: { type: 'string' },
  priority: { type: 'string' },
  grep: { type: 'string' },
  lines: { type: 'string' },
  cursor: { type: 'string' },
  follow: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const pathOf = ({ SYSTEM, UNIT }: Record<'SYSTEM' | 'UNIT', string>) => `service/${segment(SYSTEM)}/${segment(UNIT)}`;

/** `robot-rest-admin services …` */
export const SERVICES: Actions = {
  list(words) {
    parse(words, {}, []);
    return async (service) => {
      const systems = await service.json<Record<string, object[] | object>>('service/get_services_list');
      for (const [system, units] of Object.entries(systems)) {
        for (const unit of Array.isArray(units) ? units : [units]) print({ system, ...unit });
      }
    };
  },

  restart(words) {
    const { operands } = parse(words, {}, ['SYSTEM', 'UNIT']);
    return async (service) => {
      print(await service.json(`${pathOf(operands)}/restart`, { method: 'POST' }));
      note('This is the state right after; "services list" tells when the unit is active again.');
    };
  },

  logs(words) {
    const { values, operands } = parse(words, LOG_OPTIONS, ['SYSTEM', 'UNIT']);
    const { grep: q, follow, json, ...window } = values;
    const path = `${pathOf(operands)}${query({ ...window, q, follow: follow ? 'true' : undefined })}`;
    const accept = json ? 'application/json' : 'text/plain';
    return async (service) => {
      if (follow) return printEvents(await service.stream(path, { headers: { accept: 'text/event-stream' } }));
      await copyOut(await service.stream(path, { headers: { accept } }));
      if (json) process.stdout.write('\n');
    };
  },
};

/** New entries, one JSON object a line, until the service ends the stream and says why. */
async function printEvents(stream: Readable): Promise<void> {
  let event = '';
  for await (const line of createInterface({ input: stream })) {
    if (line === '') event = '';
    else if (line.startsWith('event: ')) event = line.slice('event: '.length);
    else if (line.startsWith('data: ')) {
      if (event === 'end') throw new CommandError(`The service ended the stream: ${line.slice('data: '.length)}`);
      process.stdout.write(`${line.slice('data: '.length)}\n`);
    }
  }
}
