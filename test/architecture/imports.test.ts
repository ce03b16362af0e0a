import { describe, expect, it } from '@jest/globals';
import { type Source, sourcesOf } from '../support/sources.ts';

const functions = sourcesOf('functions');
const localHost = sourcesOf('local-host');

/** `functions/commands`, `functions/system/volume`, …: what may not know its neighbours. */
function areaOf(path: string): string | undefined {
  const [top, area, part] = path.split('/');
  if (top !== 'functions' || area === 'shared') return undefined;
  return area === 'system' ? `functions/system/${part}` : `functions/${area}`;
}

function offences(sources: readonly Source[], isOffence: (source: Source, target: string) => boolean): string[] {
  return sources.flatMap((source) =>
    source.imports.filter((target) => isOffence(source, target)).map((target) => `${source.path} -> ${target}`),
  );
}

describe('Data flows one way', () => {
  it('finds the sources at all', () => {
    expect(functions.length).toBeGreaterThan(20);
    expect(functions.flatMap((source) => source.imports).length).toBeGreaterThan(50);
  });

  it('no area imports another', () => {
    const crossing = offences(functions, ({ path }, target) => {
      const [from, to] = [areaOf(path), areaOf(target)];
      return from !== undefined && to !== undefined && from !== to;
    });
    expect(crossing).toEqual([]);
  });

  it('what is shared imports no area', () => {
    const upward = offences(
      functions,
      ({ path }, target) => path.startsWith('functions/shared/') && areaOf(target) !== undefined,
    );
    expect(upward).toEqual([]);
  });

  it('functions do not know the local host', () => {
    expect(offences(functions, (_source, target) => target.startsWith('local-host/'))).toEqual([]);
  });

  it('only files below an adapters folder open files, spawn processes, or open sockets', () => {
    const system = /^(node:)?(fs|fs\/promises|child_process|net|dgram|tls|http|https|worker_threads|cluster)$/;
    const outside = offences(functions, ({ path }, target) => !path.includes('/adapters/') && system.test(target));
    expect(outside).toEqual([]);
  });

  it('adapters are reached through ports.ts and their port.ts only', () => {
    const around = offences(functions, ({ path }, target) => {
      if (!target.includes('/adapters/')) return false;
      if (path.includes('/adapters/') || /^functions\/shared\/(machine-)?ports\.ts$/.test(path)) return false;
      return !target.endsWith('port.ts') && !target.endsWith('.table.ts') && !target.endsWith('tables.ts');
    });
    expect(around).toEqual([]);
  });

  it('process.env is read in config.ts and in the entry points only', () => {
    const readers = [...functions, ...localHost]
      .filter(({ text }) => /\bprocess\.env\b/.test(text))
      .map(({ path }) => path);
    const allowed = [/^functions\/shared\/config\.ts$/, /^local-host\/main\.ts$/, /^local-host\/cli\/[a-z-]+\.ts$/];
    expect(readers.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('no process is started through a shell', () => {
    const shells = [...functions, ...localHost].filter(({ text }) =>
      /\bshell:\s*true|\bexecSync?\(\s*[`'"]/.test(text),
    );
    expect(shells.map(({ path }) => path)).toEqual([]);
  });
});

describe('One file, one idea', () => {
  it('a handler is read in one screen', () => {
    const handlers = functions.filter(({ path }) => path.endsWith('.handler.ts'));
    expect(handlers.length).toBeGreaterThan(0);
    const long = handlers.filter(({ text }) => text.split('\n').length > 60).map(({ path }) => path);
    expect(long).toEqual([]);
  });

  it('no file grows past 250 lines', () => {
    const long = [...functions, ...localHost]
      .filter(({ text }) => text.split('\n').length > 251)
      .map(({ path }) => path);
    expect(long).toEqual([]);
  });
});
