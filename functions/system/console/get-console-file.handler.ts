import { ServiceError } from '../../shared/errors.ts';
import { mediaRanges } from '../../shared/pipeline/accept.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { ConsoleFilePath, FileHeaders } from './console.schema.ts';
import { consoleFiles } from './ports.ts';

/** GET /console/{file}: what the console loads. Public; its name changes with its content. */
export const handler = endpoint({
  access: 'public',
  anyQuery: true,
  perRobot: true,
  summary: 'A file of the console',
  input: { path: ConsoleFilePath, headers: FileHeaders },
  output: { mediaTypes: ['text/css', 'text/javascript', 'image/svg+xml'] },
  uses: { consoleFiles },
  errors: ['not_found'],
}).handler(({ valid }, { consoleFiles }) => {
  const file = consoleFiles.read(valid.path.file);
  if (!file)
    throw new ServiceError('not_found', { detail: 'The console has no file with this name; reload the page.' });
  const headers = {
    'content-type': file.mediaType,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  };
  const accepted = mediaRanges(valid.headers['accept-encoding']);
  const coding = (['br', 'gzip'] as const).find((name) => accepted.some((one) => one.type === name && one.weight > 0));
  return coding ? new Reply(file[coding], { ...headers, 'content-encoding': coding }) : new Reply(file.bytes, headers);
});
