import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../../../functions/shared/kit/json.ts';
import {
  compileTemplate,
  type Roots,
  UnfitValue,
} from '../../../../functions/shared/robot-link/adapters/rosbridge/template.ts';

const COORDINATES: Roots = { value: 'object', x: 'number', y: 'number', z: 'number', theta: 'number' };
const DICT: Roots = { value: 'object', answer: 'any' };
const fill = (template: JsonValue, value: JsonValue, roots = DICT) => compileTemplate(template, roots).fill({ value });

describe('A template', () => {
  it('keeps everything that is not a reference', () => {
    const plain = { text: 'a $value inside', price: '$$5', n: [1, null, true] };
    expect(fill(plain, {})).toEqual({ ...plain, price: '$5' });
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['$value', { a: [1] }, { a: [1] }],
    ['$value.a.0', { a: [1] }, 1],
    ['$value.name|string', { name: 'wave' }, 'wave'],
    ['$value.a|fraction', { a: 50 }, 0.5],
    ['$value.a|percent|integer', { a: 0.256 }, 26],
    ['$value|json', { a: 1 }, '{"a":1}'],
    ['$value.a|parsed', { a: '{"b":2}' }, { b: 2 }],
    ['$value.__proto__', JSON.parse('{"__proto__":1}') as JsonValue, 1],
  ])('%s of %j is %j', (template, value, result) => {
    expect(fill(template, value)).toEqual(result);
  });

  it.each([
    ['$value.name', {}, 'it is missing'],
    ['$value.toString', {}, 'it is missing'],
    ['$value.names|string', { names: ['wave'] }, 'a string of the right form is needed'],
    ['$value.name|string', { name: 7 }, 'a string of the right form is needed'],
    ['$value.a|parsed', { a: '{' }, 'a string of the right form is needed'],
    ['$value.a', { a: Number.POSITIVE_INFINITY }, 'the number is too large to be sent'],
    ['$value', { deep: [Number.NaN] }, 'the number is too large to be sent'],
    ['$value.a|percent', { a: 1.7e308 }, 'the number is too large to be sent'],
    ['$value.q|yaw', { q: { x: 0, y: 0, z: 0, w: 0 } }, 'an object of the right form is needed'],
  ])('%s does not fit %j', (template, value, message) => {
    expect(() => fill(template, value)).toThrow(UnfitValue);
    expect(() => fill(template, value)).toThrow(message);
  });

  it.each([0, 90, -90, 180, 45, -179, 270, 725])(
    'turns %d degrees into radians, into a quaternion, and back',
    (theta) => {
      const value = { x: 0, y: 0, z: 0, theta };
      expect(fill('$theta|radians', value, COORDINATES)).toBeCloseTo((theta * Math.PI) / 180, 12);
      const rotation = fill('$theta|quaternion', value, COORDINATES);
      const back = Number(fill('$value|yaw', rotation));
      expect(Math.cos(((back - theta) * Math.PI) / 180)).toBeCloseTo(1, 12);
    },
  );
});
