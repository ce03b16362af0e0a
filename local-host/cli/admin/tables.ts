import { type Actions, parse, print, query, segment } from './actions.ts';
import { save, upload } from './files.ts';

const PATH = 'database/tables/';

/** `robot-rest-admin tables …` */
export const TABLES: Actions = {
  list(words) {
    parse(words, {}, []);
    return async (service) => print(...(await service.json<{ tables: object[] }>(PATH)).tables);
  },

  download(words) {
    const { values, operands } = parse(words, { output: { type: 'string' } }, ['TABLE']);
    return async (service) => save(await service.stream(`${PATH}${segment(operands.TABLE)}.csv`), values.output);
  },

  upload(words) {
    const { values, operands } = parse(words, { 'dry-run': { type: 'boolean' } }, ['TABLE', 'FILE']);
    const dryRun = query({ dry_run: values['dry-run'] ? 'true' : undefined });
    return async (service) => {
      const file = await upload(operands.FILE, 'text/csv');
      print(await service.json(`${PATH}${segment(operands.TABLE)}.csv${dryRun}`, { method: 'PUT', ...file }));
    };
  },
};
