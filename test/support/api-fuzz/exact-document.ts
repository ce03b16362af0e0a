import { PROBLEMS } from '../../../functions/shared/errors.ts';
import type { Document } from './operations.ts';

/**
 * The document with its answers closed again: no member, code or value beyond those it mentions. The served document is
 * open for the sake of clients, but whatever today's service answers must be documented. What is open on purpose says so
 * with `additionalProperties` and stays open.
 */
export function exact(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (key, node) => {
    if (typeof node !== 'object' || node === null) return node;
    if (key === 'code' && /Known codes:/.test(node.description)) return { ...node, enum: Object.keys(PROBLEMS) };
    if (node.type === 'object' && node.properties !== undefined && node.additionalProperties === undefined)
      return { ...node, additionalProperties: false };
    const onlyValue = /always `(.+)`$/.exec(node.description)?.[1];
    return onlyValue === undefined ? node : { ...node, const: JSON.parse(onlyValue) };
  });
}
