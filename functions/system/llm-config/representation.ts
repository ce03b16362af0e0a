import { createHash } from 'node:crypto';
import { mediaRanges } from '../../shared/pipeline/accept.ts';

/** The entity tags of the JSON and the YAML representation of the file. */
export function entityTags(bytes: Buffer): { readonly json: string; readonly yaml: string } {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 32);
  return { json: `"${hash}"`, yaml: `"${hash}.yaml"` };
}

const YAML = /^(application|text)\/(x-)?yaml$/;
const JSON_TYPE = /^application\/json$/;

/** Whether an Accept header prefers YAML to JSON (RFC 9110, section 12.5.1). */
export function prefersYaml(accept: string | undefined): boolean {
  const ranges = mediaRanges(accept);
  const weightOf = (types: RegExp) =>
    Math.max(0, ...ranges.filter(({ type }) => types.test(type)).map(({ weight }) => weight));
  const yaml = weightOf(YAML);
  return yaml > 0 && yaml >= weightOf(JSON_TYPE);
}
