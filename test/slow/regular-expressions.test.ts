import { describe, expect, it } from '@jest/globals';
import { check } from 'recheck';
import ts from 'typescript';
import { sourcesOf } from '../support/sources.ts';

/** Every regular expression literal of these sources, with the first file that holds it. */
function literals(): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, text } of ['functions', 'local-host', 'console/src'].flatMap(sourcesOf)) {
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node) && !found.has(node.text)) found.set(node.text, path);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  }
  return found;
}

describe('A regular expression', () => {
  it('takes linear time on any text, so that no request can block the service', async () => {
    const all = literals();
    expect(all.size).toBeGreaterThan(50);
    const slow: string[] = [];
    for (const [literal, path] of all) {
      const end = literal.lastIndexOf('/');
      const found = await check(literal.slice(1, end), literal.slice(end + 1), { timeout: null });
      if (found.status === 'vulnerable') slow.push(`${path}: ${literal} (${found.complexity.summary})`);
      if (found.status === 'unknown') slow.push(`${path}: ${literal} (${found.error.kind})`);
    }
    expect(slow).toEqual([]);
  });

  it('is written as a literal, so that this test finds it', () => {
    const built = ['functions', 'local-host', 'console/src']
      .flatMap(sourcesOf)
      .filter(({ text }) => /\bRegExp\(/.test(text));
    expect(built.map(({ path }) => path)).toEqual([]);
  });
});
