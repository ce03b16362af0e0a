import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROBLEMS } from '../../functions/shared/errors.ts';
import { createPrometheusMetrics } from '../../functions/shared/observability/adapters/metrics/prometheus.ts';
import { settingsPage } from '../../scripts/settings.ts';
import { markdownTable, ROOT } from '../support/sources.ts';

const packageJson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};
const packageLock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { hasInstallScript?: boolean }>;
};

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

describe('Documents', () => {
  it('list exactly the existing error codes, each under its status', () => {
    const written = markdownTable('docs/errors.md', 'Errors').flatMap(([status = '', codes = '']) =>
      codesIn(codes).map((code) => [code, Number(status)]),
    );
    const built = Object.entries(PROBLEMS).map(([code, [status]]) => [code, status]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(built));
  });

  it('include the settings page that the schema generates', () => {
    expect(readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8')).toBe(settingsPage());
  });

  it('list exactly the existing metrics, apart from those of the process', async () => {
    const metrics = createPrometheusMetrics();
    const { text } = await metrics.exposition();
    metrics.close();
    const built = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
    const written = markdownTable('docs/deploying.md', 'Metrics').map(([name = '']) => codesIn(name)[0]);
    expect(written.sort()).toEqual(built.filter((name) => !/^(process|nodejs)_/.test(name)).sort());
  });

  it('give a reason for each dependency in CONTRIBUTING.md', () => {
    const written = markdownTable('CONTRIBUTING.md', 'Dependencies').map(([name = '']) => codesIn(name)[0]);
    const installed = [...Object.keys(packageJson.dependencies), ...Object.keys(packageJson.devDependencies)];
    expect(written.sort()).toEqual(installed.sort());
  });

  it('name an existing test for each promise in SECURITY.md', () => {
    const promises = markdownTable('SECURITY.md', 'What is defended');
    expect(promises.length).toBeGreaterThan(10);
    for (const [promise = '', tests = ''] of promises) {
      expect([promise, codesIn(tests).length > 0]).toEqual([promise, true]);
      const missing = codesIn(tests).filter((path) => !path.endsWith('.test.ts') || !existsSync(join(ROOT, path)));
      expect([promise, missing]).toEqual([promise, []]);
    }
  });

  it('name an existing test for each hazard in docs/safety.md', () => {
    const hazards = markdownTable('docs/safety.md', 'Hazards');
    expect(hazards.length).toBeGreaterThan(15);
    for (const [failure = '', , , , , tests = ''] of hazards) {
      expect([failure, codesIn(tests).length > 0]).toEqual([failure, true]);
      const missing = codesIn(tests).filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`)));
      expect([failure, missing]).toEqual([failure, []]);
    }
  });

  it('mention every abuse test in SECURITY.md', () => {
    const named = markdownTable('SECURITY.md', 'What is defended').flatMap(([, tests = '']) => codesIn(tests));
    const attacks = readdirSync(join(ROOT, 'test/slow/abuse')).map((name) => `test/slow/abuse/${name}`);
    expect(attacks.filter((path) => !named.includes(path))).toEqual([]);
  });
});

describe('Dependencies', () => {
  it('are pinned to exact versions', () => {
    const versions = Object.values({ ...packageJson.dependencies, ...packageJson.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('run no install script but those listed, and need only that of better-sqlite3', () => {
    const wanting = Object.entries(packageLock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(wanting.sort()).toEqual(Object.keys(packageJson.allowScripts).sort());
    const allowed = wanting.filter((name) => packageJson.allowScripts[name]);
    expect(allowed).toEqual(['better-sqlite3']);
  });
});
