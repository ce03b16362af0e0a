import { createApiDocument } from '../local-host/openapi.ts';
import { ROUTES } from '../local-host/routes.ts';

const SERVERS = [
  { url: '/rest', description: 'one robot' },
  {
    url: '/{robot_id}/rest',
    description: 'one of a fleet',
    variables: { robot_id: { default: 'robot-1', description: 'id of the robot' } },
  },
];

/** The OpenAPI document of what is deployed to the cloud, as the function get-openapi serves it. */
export const cloudDocument = JSON.stringify(
  createApiDocument(
    ROUTES.filter(({ cloud }) => cloud),
    SERVERS,
  ),
);
