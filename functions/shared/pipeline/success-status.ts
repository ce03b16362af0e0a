import type { EndpointSpec } from './spec.ts';

/** Status of the answer of an endpoint that has done its work. */
export function successStatus({ created, accepted }: Pick<EndpointSpec, 'created' | 'accepted'>): 200 | 201 | 202 {
  if (created) return 201;
  return accepted ? 202 : 200;
}
