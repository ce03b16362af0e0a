import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { config } from '../../shared/ports.ts';
import { ofHost } from '../../shared/remote-robot.ts';
import { UrdfList } from './description.schema.ts';
import { descriptionFiles } from './ports.ts';

/** GET /api/v2/urdf/: the URDFs that there are, those in packages too. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'List the URDFs of the robot',
  description: 'Files that end in `.urdf`, and in `.xml` if their root is `<robot>`, wherever they are in the folder.',
  output: UrdfList,
  uses: { descriptionFiles, config },
}).handler(async (_call, { descriptionFiles, config }) => ({
  urdf: await descriptionFiles.list(),
  ...ofHost(config),
}));
