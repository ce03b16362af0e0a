import { describe, expect, it } from '@jest/globals';
import { candidates } from '../../../../functions/system/description/reference.ts';

describe('A URDF reference is searched', () => {
  it.each([
    ['package://pip/meshes/a.stl', ['pip/meshes/a.stl', 'meshes/a.stl']],
    ['PACKAGE://pip/a.stl', ['pip/a.stl', 'a.stl']],
    ['model://pip/a.dae', ['pip/a.dae', 'a.dae']],
    ['file:///opt/ros/a.stl', ['opt/ros/a.stl', 'ros/a.stl', 'a.stl']],
    ['file://localhost/opt/a.stl', ['opt/a.stl', 'a.stl']],
    ['file:/opt/a.stl', ['opt/a.stl', 'a.stl']],
    ['/opt/a.stl', ['opt/a.stl', 'a.stl']],
    ['meshes/a.stl', ['meshes/a.stl']],
    ['  ./meshes//a.stl ', ['meshes/a.stl']],
    ['../../meshes/a.stl', ['meshes/a.stl']],
    ['package://pip/../../../etc/passwd', ['etc/passwd']],
    ['meshes/a%20b.stl', ['meshes/a%20b.stl', 'meshes/a b.stl']],
    ['meshes/%2e%2e/%2e%2e/a.stl', ['meshes/%2e%2e/%2e%2e/a.stl', 'a.stl']],
    ['meshes/100%.stl', ['meshes/100%.stl']],
  ])('%s', (reference, expected) => {
    expect(candidates(reference)).toEqual(expected);
  });

  it.each([
    'http://a.b/c.stl',
    'https://a.b/c.stl',
    'data:model/stl;base64,AA==',
    '',
    '  ',
    '.',
    'package://',
    'file:///',
  ])('nowhere and left unchanged: "%s"', (reference) => {
    expect(candidates(reference)).toBeUndefined();
  });
});
