import { basename } from 'node:path';
import { type Actions, parse, print, segment } from './actions.ts';
import { save, upload } from './files.ts';

const PATH = 'database/backups/';

/** `robot-rest-admin backups …`: snapshots of the database. */
export const BACKUPS: Actions = {
  list(words) {
    parse(words, {}, []);
    return async (service) => print(...(await service.json<{ backups: object[] }>(PATH)).backups);
  },

  create(words) {
    parse(words, {}, []);
    return async (service) => print(await service.json(PATH, { method: 'POST' }));
  },

  download(words) {
    const { values, operands } = parse(words, { output: { type: 'string' } }, ['NAME']);
    const path = values.output ?? basename(operands.NAME);
    return async (service) => save(await service.stream(`${PATH}${segment(operands.NAME)}`), path);
  },

  upload(words) {
    const { values, operands } = parse(words, { name: { type: 'string' } }, ['FILE']);
    const name = values.name ?? basename(operands.FILE);
    return async (service) => {
      const file = await upload(operands.FILE, 'application/vnd.sqlite3');
      print(await service.json(`${PATH}${segment(name)}`, { method: 'PUT', ...file }));
    };
  },

  restore(words) {
    const { operands } = parse(words, {}, ['NAME']);
    return async (service) =>
      print(await service.json('database/restore/', { method: 'POST', body: { backup: operands.NAME } }));
  },
};
