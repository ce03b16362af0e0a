import { PROBLEMS } from '../../../functions/shared/errors.ts';
import type { Document } from './operations.ts';

/**
 * The document with its answers closed again: no member, code or value beyond those it mentions. The served document is
 * open for the sake of clients, but whatever today's service answers must be documented. What is open on purpose says so
 * in its description, or with `additionalProperties`, and stays open.
 */
export function exact(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (key, node) => {
    if (typeof node !== 'object' || node === null) return node;
    if (key === 'code' && /Known codes:/.test(node.description)) return { ...node, enum: Object.keys(PROBLEMS) };
    if (isClosable(node)) return { ...node, additionalProperties: false };
    const known = /(?:always|known values:) (`.+`)$/.exec(node.description)?.[1];
    return known === undefined ? node : { ...node, enum: [...valuesIn(known, node.type), null] };
  });
}

function isClosable({ type, properties, additionalProperties, description }: Record<string, unknown>): boolean {
  if (type !== 'object' || properties === undefined || additionalProperties !== undefined) return false;
  return !/members of their own/.test(String(description));
}

/** `null` is up to the type. */
function valuesIn(list: string, type: string | readonly string[]): unknown[] {
  const texts = [...list.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  return [type].flat().includes('string') ? texts : texts.map((text) => JSON.parse(text));
}
