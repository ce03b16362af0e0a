import { describe, expect, it } from '@jest/globals';
import { covers, isAllowed, parseAllowedUnits } from '../../../functions/shared/allowed-units.ts';
import { ConfigError } from '../../../functions/shared/config.ts';
import { testConfig } from '../../support/world.ts';

describe('SERVICE_ALLOWED_UNITS', () => {
  it.each([
    ['', { head: [], base: [] }],
    ['head=nav.service', { head: ['nav.service'], base: [] }],
    [
      'head=robot-*.service,nav.service;base=*.service',
      { head: ['robot-*.service', 'nav.service'], base: ['*.service'] },
    ],
    [' head = a.service , b@1.service ; ; base= ;', { head: ['a.service', 'b@1.service'], base: [] }],
  ])('accepts %j', (text, allowed) => {
    expect(parseAllowedUnits(text)).toEqual(allowed);
  });

  it.each([
    'nav.service',
    'arm=nav.service',
    'head',
    'head=nav',
    'head=nav.socket',
    'head=-x.service',
    'head=../nav.service',
    'head=a b.service',
    'head=[a].service',
    'head=a?.service',
    'head=*',
    'head=a=b.service',
    'head=a.service;head=b.service',
    `head=${'a'.repeat(300)}.service`,
  ])('refuses %j at startup, naming the setting', (text) => {
    expect(() => testConfig({ SERVICE_ALLOWED_UNITS: text })).toThrow(ConfigError);
    expect(() => testConfig({ SERVICE_ALLOWED_UNITS: text })).toThrow(/SERVICE_ALLOWED_UNITS/);
  });
});

describe('A pattern', () => {
  it.each([
    ['nav.service', 'nav.service', true],
    ['nav.service', 'nav_service', false],
    ['nav.service', 'xnav.service', false],
    ['nav.service', 'nav.servicex', false],
    ['robot-*.service', 'robot-.service', true],
    ['robot-*.service', 'robot-a.b@c.service', true],
    ['robot-*.service', 'robot.service', false],
    ['robot-*.service', 'my-robot-a.service', false],
    ['*.service', 'a.service', true],
    ['*.service', 'a.service.socket', false],
    ['*a*b*.service', 'xaxxbx.service', true],
    ['*a*b*.service', 'xbxxax.service', false],
    ['**.service', 'a.service', true],
    ['a*a.service', 'a.service', false],
  ])('%j for %j: %j', (pattern, name, result) => {
    expect(covers(pattern, name)).toBe(result);
  });

  it('takes at most pattern length times name length for a hostile name', () => {
    expect(covers(`${'*a'.repeat(120)}b.service`, `${'a'.repeat(247)}.service`)).toBe(false);
  });

  it.each([
    '*.service',
    '-a.service',
    'a.service\n',
    'a\nb.service',
    'é.service',
    `${'a'.repeat(248)}.service`,
    '.service',
  ])('never allows an invalid name, even when it matches: %j', (name) => {
    expect(isAllowed(['*.service'], name)).toBe(false);
  });
});
