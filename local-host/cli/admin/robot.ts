import { type Action, type Actions, note, parse, print, query } from './actions.ts';
import { save, upload } from './files.ts';

const PATH = 'backup/';
const ARCHIVE = /^robot-\d{6,12}-\d{8}T\d{6}Z\.tar\.gz$/;

/** `robot-rest-admin robot …`: the whole robot in one file. */
export const ROBOT: Actions = {
  backup(words) {
    const { values } = parse(words, { output: { type: 'string' } }, []);
    return async (service) => save(await service.stream(PATH, { method: 'POST' }), values.output);
  },

  archives(words) {
    parse(words, {}, []);
    return async (service) => print(...(await service.json<{ backups: object[] }>(PATH)).backups);
  },

  restore(words) {
    const options = { 'dry-run': { type: 'boolean' }, adopt: { type: 'boolean' } } as const;
    const { values, operands } = parse(words, options, ['FILE']);
    const flags = query({
      dry_run: values['dry-run'] ? 'true' : undefined,
      adopt: values.adopt ? 'true' : undefined,
    });
    return async (service) => {
      const isKept = ARCHIVE.test(operands.FILE);
      const from = isKept ? { body: { name: operands.FILE } } : await upload(operands.FILE, 'application/gzip');
      const restored = await service.json<{ restart_needed: boolean }>(`${PATH}restore${flags}`, {
        method: 'POST',
        ...from,
      });
      print(restored);
      if (restored.restart_needed)
        note('The mapping is read at a start: systemctl restart robot-rest robot-rest-guard');
    };
  },
};

/** `robot-rest-admin incident`: what happened, in one file for support. */
export const incident: Action = (words) => {
  const options = {
    since: { type: 'string' },
    until: { type: 'string' },
    unit: { type: 'string', multiple: true },
    output: { type: 'string' },
  } as const;
  const { values } = parse(words, options, []);
  const { since, until, unit, output } = values;
  const body = { ...(since && { since }), ...(until && { until }), ...(unit && { units: unit }) };
  return async (service) => save(await service.stream('incident/', { method: 'POST', body }), output);
};
