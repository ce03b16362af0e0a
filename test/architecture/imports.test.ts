import { describe, expect, it } from '@jest/globals';
import { type Source, sourcesOf } from '../support/sources.ts';

const functions = sourcesOf('functions');
const localHost = sourcesOf('local-host');
const page = sourcesOf('console/src');
const client = sourcesOf('clients/typescript/src');
const tests = sourcesOf('test');

/** `functions/commands`, `functions/system/volume`, …: what may not know its neighbours. */
function areaOf(path: string): string | undefined {
  const [top, area, part] = path.split('/');
  if (top !== 'functions' || area === 'shared') return undefined;
  return area === 'system' ? `functions/system/${part}` : `functions/${area}`;
}

/** What touches the operating system. */
const isOutermost = (path: string) => path.includes('/adapters/') || path.startsWith('functions/shared/kit/');

function offences(sources: readonly Source[], isOffence: (source: Source, target: string) => boolean): string[] {
  return sources.flatMap((source) =>
    source.imports.filter((target) => isOffence(source, target)).map((target) => `${source.path} -> ${target}`),
  );
}

/** Imports that lead back to the importing file, each circle once. Types count: a circle of types is one of concepts. */
function circles(sources: readonly Source[]): string[] {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (path: string, way: readonly string[]) => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (done.has(path) || way.includes(path)) return;
    for (const target of importsOf.get(path) ?? []) follow(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) follow(path, []);
  return found;
}

describe('Imports', () => {
  it('are found in the sources', () => {
    expect(functions.length).toBeGreaterThan(20);
    expect(functions.flatMap((source) => source.imports).length).toBeGreaterThan(50);
  });

  it('form no circle', () => {
    const chain = { path: 'a.ts', text: '', imports: ['b.ts'] };
    expect(circles([chain, { path: 'b.ts', text: '', imports: ['a.ts'] }])).toEqual(['a.ts -> b.ts -> a.ts']);
    expect(circles([...functions, ...localHost, ...page, ...client])).toEqual([]);
  });

  it('never lead from one area to another', () => {
    const crossing = offences(functions, ({ path }, target) => {
      const [from, to] = [areaOf(path), areaOf(target)];
      return from !== undefined && to !== undefined && from !== to;
    });
    expect(crossing).toEqual([]);
  });

  it('never lead from shared code to an area', () => {
    const upward = offences(
      functions,
      ({ path }, target) => path.startsWith('functions/shared/') && areaOf(target) !== undefined,
    );
    expect(upward).toEqual([]);
  });

  it('never lead from functions to the local host', () => {
    expect(offences(functions, (_source, target) => target.startsWith('local-host/'))).toEqual([]);
  });

  it('of modules for files, processes and sockets occur in adapters and the kit only', () => {
    const system = /^(node:)?(fs|fs\/promises|child_process|net|dgram|tls|http|https|worker_threads|cluster)$/;
    const outside = offences(functions, ({ path }, target) => !isOutermost(path) && system.test(target));
    expect(outside).toEqual([]);
  });

  it('of the console lead to the client and to types, and never into the service', () => {
    const beyond = offences(page, (_source, target) => /^(functions|local-host)\//.test(target));
    expect(beyond).toEqual(['console/src/state/event-data.ts -> functions/shared/events/data.schema.ts']);
    const types = page.find(({ path }) => path.endsWith('/event-data.ts'))?.text ?? '';
    expect(types.match(/^import (?!type)/gm)).toBeNull();
  });

  it('of an adapter occur in its own ports.ts and in adapters of the same feature only', () => {
    const around = offences(functions, ({ path }, target) => {
      const [owner, adapter] = target.split('/adapters/');
      if (adapter === undefined || path.startsWith(`${owner}/adapters/`)) return false;
      return path !== `${owner}/ports.ts`;
    });
    expect(around).toEqual([]);
  });
});

describe('Sources', () => {
  it('read process.env in config.ts and in the entry points only', () => {
    const readers = [...functions, ...localHost]
      .filter(({ text }) => /\bprocess\.env\b/.test(text))
      .map(({ path }) => path);
    const allowed = [
      /^functions\/shared\/config\.ts$/,
      /^local-host\/(guard\/)?main\.ts$/,
      /^local-host\/cli\/[a-z-]+\.ts$/,
    ];
    expect(readers.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('never start a process through a shell', () => {
    const shells = [...functions, ...localHost].filter(({ text }) =>
      /\bshell:\s*true|\bexecSync?\(\s*[`'"]/.test(text),
    );
    expect(shells.map(({ path }) => path)).toEqual([]);
  });
});

describe('File length', () => {
  it('keeps every handler to 60 lines', () => {
    const handlers = functions.filter(({ path }) => path.endsWith('.handler.ts'));
    expect(handlers.length).toBeGreaterThan(0);
    const long = handlers.filter(({ text }) => text.split('\n').length > 60).map(({ path }) => path);
    expect(long).toEqual([]);
  });

  it('keeps every source and test file to 250 lines', () => {
    const long = [...functions, ...localHost, ...page, ...tests]
      .filter(({ text }) => text.split('\n').length > 251)
      .map(({ path }) => path);
    expect(long).toEqual([]);
  });
});
