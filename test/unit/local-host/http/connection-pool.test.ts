import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { descriptorLimit } from '../../../../functions/shared/kit/descriptor-limit.ts';
import { connectionLimits } from '../../../../local-host/http/connection-limits.ts';
import { type Connection, ConnectionPool } from '../../../../local-host/http/connection-pool.ts';
import { temporaryFolder } from '../../../support/world.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;

function pool(max: number, overflow = 2) {
  const told: Array<readonly [string, boolean]> = [];
  const made = new ConnectionPool({ max, overflow }, (block, closedIdle) => told.push([block, closedIdle]));
  const add = (block: string, each = UNLIMITED) => made.add(new Socket(), block, each);
  const fill = (count: number, block: string, each = UNLIMITED) =>
    Array.from({ length: count }, () => add(block, each));
  return { made, told, add, fill };
}

const open = (connections: readonly Connection[]) => connections.map(({ socket }) => !socket.destroyed);

describe('A pool of connections', () => {
  it('closes the longest idle connection of a full block and none of others', () => {
    const { add, fill, told } = pool(100);
    const others = fill(5, 'b');
    const first = fill(3, 'a', 3);
    const newcomer = add('a', 3);
    expect([open(first), open(others), open([newcomer])]).toEqual([[false, true, true], Array(5).fill(true), [true]]);
    expect(told).toEqual([['a', true]]);
  });

  it('counts a connection as idle from its last answer', () => {
    const { made, add, fill } = pool(3);
    const [first, second, third] = fill(3, 'a') as [Connection, Connection, Connection];
    made.markBusy(first);
    made.markIdle(first);
    made.markBusy(third);
    add('a');
    expect(open([first, second, third])).toEqual([true, false, true]);
  });

  it('takes from the largest block when all places are taken', () => {
    const { add, fill } = pool(10);
    const few = fill(3, 'few');
    const many = fill(7, 'many');
    const newcomer = add('new');
    expect(open(few)).toEqual([true, true, true]);
    expect(open(many)).toEqual([false, ...Array(6).fill(true)]);
    expect(newcomer.overflow).toBe(false);
  });

  it('accepts a newcomer for a stop while all are busy, until a place is free', () => {
    const { made, add, fill, told } = pool(3);
    const busy = fill(3, 'a');
    for (const each of busy) made.markBusy(each);
    const newcomer = add('b');
    expect([newcomer.overflow, made.claimSlot(newcomer), newcomer.socket.destroyed]).toEqual([true, false, false]);
    expect(told).toEqual([['b', false]]);
    made.remove(busy[0] as Connection); // as: there are three
    expect(made.claimSlot(newcomer)).toBe(true);
    made.markBusy(newcomer);
    expect(add('c').overflow).toBe(true);
  });

  it('closes the longest idle spare connection before one with a stop under way', () => {
    const { made, fill } = pool(1, 2);
    for (const each of fill(1, 'a')) made.markBusy(each);
    const [stopping, idle] = fill(2, 'b') as [Connection, Connection];
    made.markBusy(stopping);
    const newcomers = fill(2, 'c');
    expect(open([stopping, idle, ...newcomers])).toEqual([true, false, false, true]);
  });

  it('has every place free again after all connections have closed', () => {
    const { made, fill } = pool(4, 2);
    const connections = fill(20, 'a', 3);
    for (const each of connections) {
      made.markBusy(each);
      made.remove(each);
      made.markIdle(each);
      made.remove(each);
    }
    expect(fill(3, 'b', 3).map(({ overflow }) => overflow)).toEqual([false, false, false]);
    expect(open(connections.slice(-3))).toEqual([true, true, true]);
  });
});

describe('The limits of connections', () => {
  it.each([256, 1024, 16_384, 1_000_000, Number.MAX_SAFE_INTEGER])(
    'leave a quarter of %d descriptors',
    (descriptors) => {
      const { tcp, tcpPerBlock, socket, overflow } = connectionLimits(descriptors);
      expect(tcp + socket + 2 * overflow).toBeLessThanOrEqual(descriptors * 0.75);
      expect(tcp).toBeLessThanOrEqual(4096);
      expect(tcpPerBlock).toBeLessThanOrEqual(tcp / 4);
      expect(socket).toBeGreaterThanOrEqual(16);
    },
  );

  it.each([
    ['Max open files            1024                 524288               files     ', 1024],
    ['Max open files            unlimited            unlimited            files     ', Number.MAX_SAFE_INTEGER],
    ['Max processes             100                  100                  processes ', 1024],
    [undefined, 1024],
  ])('follow from %j', (text, descriptors) => {
    const path = join(temporaryFolder(), 'limits');
    if (text !== undefined) writeFileSync(path, `Limit Soft Limit Hard Limit Units\n${text}\n`);
    expect(descriptorLimit(path)).toBe(descriptors);
  });
});
