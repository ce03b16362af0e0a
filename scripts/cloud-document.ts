import { createApiDocument } from '../local-host/openapi/openapi.ts';
import { ROUTES } from '../local-host/routes.ts';

const SERVERS = [
  { url: '/rest', description: 'one robot' },
  {
    url: '/{robot_id}/rest',
    description: 'one of a fleet',
    variables: { robot_id: { default: 'robot-1', description: 'id of the robot' } },
  },
];

/** The OpenAPI document of the routes deployed to the cloud, as served by the function get-openapi. */
export const cloudDocument = JSON.stringify(
  createApiDocument(
    ROUTES.filter(({ cloud }) => cloud),
    SERVERS,
  ),
);
