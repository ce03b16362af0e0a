import { createHash } from 'node:crypto';

/** The entity tags of one state of the file: its JSON and its YAML form are two representations of it. */
export function entityTags(bytes: Buffer): { readonly json: string; readonly yaml: string } {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 32);
  return { json: `"${hash}"`, yaml: `"${hash}.yaml"` };
}

const YAML = /^(application|text)\/(x-)?yaml$/;

/** Whether an Accept header asks for YAML rather than JSON (RFC 9110, section 12.5.1). */
export function prefersYaml(accept: string | undefined): boolean {
  let [yaml, json] = [0, 0];
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = Number(
      /^q=([01](?:\.\d{0,3})?)$/.exec(parameters.find((part) => part.startsWith('q=')) ?? 'q=1')?.[1] ?? 0,
    );
    if (YAML.test(type)) yaml = Math.max(yaml, weight);
    else if (type === 'application/json') json = Math.max(json, weight);
  }
  return yaml > 0 && yaml >= json;
}
