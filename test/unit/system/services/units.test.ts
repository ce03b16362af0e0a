import { describe, expect, it } from '@jest/globals';
import { joinUnits } from '../../../../functions/system/services/adapters/units.ts';

/** systemd 252, `--output=json`. */
const FILES = JSON.stringify([
  { unit_file: 'nav.service', state: 'enabled', preset: 'enabled' },
  { unit_file: 'camera@.service', state: 'static', vendor_preset: null },
  { unit_file: 'lidar.service', state: 'disabled' },
  { unit_file: 'x.socket', state: 'enabled' },
]);
const LOADED = JSON.stringify([
  { unit: 'nav.service', load: 'loaded', active: 'active', sub: 'running', description: 'Navigation' },
  { unit: 'camera@1.service', load: 'loaded', active: 'failed', sub: 'failed', description: 'Camera 1' },
]);

/** Versions before 246 know no JSON here and print columns. */
const OLD_FILES = 'camera@.service static -\nlidar.service disabled\nnav.service enabled enabled\n\n';
const OLD_LOADED = 'nav.service loaded active running Navigation\n● camera@1.service loaded failed failed Camera 1\n\n';

const EXPECTED = [
  {
    name: 'camera@.service',
    description: null,
    load_state: null,
    active_state: 'inactive',
    sub_state: 'dead',
    enabled: false,
  },
  {
    name: 'camera@1.service',
    description: 'Camera 1',
    load_state: 'loaded',
    active_state: 'failed',
    sub_state: 'failed',
    enabled: null,
  },
  {
    name: 'lidar.service',
    description: null,
    load_state: null,
    active_state: 'inactive',
    sub_state: 'dead',
    enabled: false,
  },
  {
    name: 'nav.service',
    description: 'Navigation',
    load_state: 'loaded',
    active_state: 'active',
    sub_state: 'running',
    enabled: true,
  },
];

describe('Unit files joined with loaded units', () => {
  it.each([
    ['JSON', FILES, LOADED],
    ['columns', OLD_FILES, OLD_LOADED],
  ])('are read from %s', (_form, files, loaded) => {
    expect(joinUnits(files, loaded)).toEqual(EXPECTED);
  });

  it.each([
    ['nothing', '', ''],
    ['broken JSON', '[{"unit_file":', '[1,null,"x",{}]'],
    ['something else', '0 unit files listed.', 'no\nunits here'],
  ])('are none in %s', (_what, files, loaded) => {
    expect(joinUnits(files, loaded)).toEqual([]);
  });

  it('ignore unknown and missing members', () => {
    const [unit] = joinUnits('[]', '[{"unit":"a.service","load":7,"job":{"id":1}}]');
    expect(unit).toEqual({
      name: 'a.service',
      description: '',
      load_state: '',
      active_state: '',
      sub_state: '',
      enabled: null,
    });
  });
});
