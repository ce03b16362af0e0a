import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SETTINGS } from '../../functions/shared/config.ts';
import { PROBLEMS } from '../../functions/shared/errors.ts';
import { markdownTable, ROOT } from '../support/sources.ts';

const packageJson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

describe('What is written down is what is built', () => {
  it('the error table of the README lists every code under its status, and no other', () => {
    const written = markdownTable('README.md', 'Errors').flatMap(([status = '', codes = '']) =>
      codesIn(codes).map((code) => [code, Number(status)]),
    );
    const built = Object.entries(PROBLEMS).map(([code, [status]]) => [code, status]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(built));
  });

  it('the configuration table of the README lists every setting, and no other', () => {
    const written = markdownTable('README.md', 'Configuration').map(([name = '']) => codesIn(name)[0]);
    expect(written.sort()).toEqual(Object.keys(SETTINGS.shape).sort());
  });

  it('the dependency table of CONTRIBUTING says why each dependency is there', () => {
    const written = markdownTable('CONTRIBUTING.md', 'Dependencies').map(([name = '']) => codesIn(name)[0]);
    const installed = [...Object.keys(packageJson.dependencies), ...Object.keys(packageJson.devDependencies)];
    expect(written.sort()).toEqual(installed.sort());
  });

  it('every promise of SECURITY.md is held by a test that is there', () => {
    const promises = markdownTable('SECURITY.md', 'What is defended');
    expect(promises.length).toBeGreaterThan(10);
    for (const [promise = '', tests = ''] of promises) {
      expect([promise, codesIn(tests).length > 0]).toEqual([promise, true]);
      const missing = codesIn(tests).filter((path) => !path.endsWith('.test.ts') || !existsSync(join(ROOT, path)));
      expect([promise, missing]).toEqual([promise, []]);
    }
  });

  it('every hazard of docs/safety.md is shown by a test that is there', () => {
    const hazards = markdownTable('docs/safety.md', 'Hazards');
    expect(hazards.length).toBeGreaterThan(15);
    for (const [failure = '', , , , , tests = ''] of hazards) {
      expect([failure, codesIn(tests).length > 0]).toEqual([failure, true]);
      const missing = codesIn(tests).filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`)));
      expect([failure, missing]).toEqual([failure, []]);
    }
  });

  it('every attack that is tested stands among the promises of SECURITY.md', () => {
    const named = markdownTable('SECURITY.md', 'What is defended').flatMap(([, tests = '']) => codesIn(tests));
    const attacks = readdirSync(join(ROOT, 'test/http/abuse')).map((name) => `test/http/abuse/${name}`);
    expect(attacks.filter((path) => !named.includes(path))).toEqual([]);
  });

  it('dependencies are pinned to exact versions', () => {
    const versions = Object.values({ ...packageJson.dependencies, ...packageJson.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});
