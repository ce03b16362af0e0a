import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BUS_GONE, BusError, NO_ANSWER } from '../../../../functions/shared/kit/system-bus.ts';
import { certificateProblem } from '../../../../functions/system/network/adapters/certificate-file.ts';
import { securityOf } from '../../../../functions/system/network/adapters/network-manager/access-point.ts';
import { explain } from '../../../../functions/system/network/adapters/network-manager/manager.ts';
import { failure, overdue } from '../../../../functions/system/network/adapters/network-manager/state-reason.ts';
import { temporaryFolder } from '../../../support/world.ts';

describe('Why NetworkManager could not connect', () => {
  it.each([
    [5, 'wpa-psk', 'wifi_no_address'],
    [6, 'wpa-psk', 'wifi_no_address'],
    [7, 'wpa-psk', 'wifi_wrong_password'],
    [7, 'sae', 'wifi_wrong_password'],
    [7, 'wpa-eap', 'wifi_eap_rejected'],
    [7, 'open', 'wifi_timeout'],
    [8, 'wpa-psk', 'wifi_wrong_password'],
    [8, 'wpa-eap', 'wifi_eap_rejected'],
    [8, 'open', 'wifi_timeout'],
    [9, 'wpa-eap', 'wifi_eap_rejected'],
    [9, 'sae', 'component_unavailable'],
    [10, 'wpa-eap', 'component_unavailable'],
    [11, 'wpa-psk', 'wifi_wrong_password'],
    [11, 'wpa-eap', 'wifi_eap_rejected'],
    [11, 'owe', 'wifi_timeout'],
    [15, 'open', 'wifi_no_address'],
    [16, 'open', 'wifi_no_address'],
    [17, 'open', 'wifi_no_address'],
    [35, 'open', 'component_unavailable'],
    [36, 'wpa-psk', 'component_unavailable'],
    [38, 'wpa-psk', 'conflict'],
    [39, 'wpa-psk', 'conflict'],
    [53, 'wpa-psk', 'wifi_ssid_not_found'],
    [60, 'wpa-psk', 'conflict'],
    [0, 'open', 'component_unavailable'],
  ] as const)('state reason %i of a network secured with %s is %s', (reason, security, code) => {
    expect(failure(reason, security).code).toBe(code);
  });

  it.each([
    ['joining', 50, 'wpa-psk', 'wifi_timeout'],
    ['waiting for other secrets', 60, 'wpa-psk', 'wifi_wrong_password'],
    ['waiting for other secrets', 60, 'wpa-eap', 'wifi_eap_rejected'],
    ['waiting for an address', 70, 'wpa-psk', 'wifi_no_address'],
    ['checking its address', 80, 'wpa-psk', 'wifi_no_address'],
  ] as const)('at the limit a device that is %s (state %i, %s) gives %s', (_what, state, security, code) => {
    expect(overdue(state, security).code).toBe(code);
  });
});

describe('What NetworkManager refuses', () => {
  it.each([
    [BUS_GONE, 'D-Bus'],
    [NO_ANSWER, 'does not respond'],
    ['org.freedesktop.DBus.Error.ServiceUnknown', 'systemctl enable --now NetworkManager'],
    ['org.freedesktop.DBus.Error.AccessDenied', 'polkit'],
    ['org.freedesktop.NetworkManager.PermissionDenied', 'polkit'],
    ['org.freedesktop.DBus.Error.UnknownMethod', 'too old'],
    ['org.freedesktop.NetworkManager.Device.Failed', 'rejected'],
  ])('%s becomes component_unavailable with advice', (reason, hint) => {
    const error = explain(new BusError(reason, 'the text of the other side', 'Member'));
    expect(error).toMatchObject({ code: 'component_unavailable', message: expect.stringContaining(hint) });
    expect(String(error)).not.toContain('the text of the other side');
  });
});

describe('The security of an access point', () => {
  it.each([
    ['nothing', 0, 0, 0, 'open'],
    ['privacy without WPA (WEP)', 1, 0, 0, 'other'],
    ['WPA', 1, 0x100, 0, 'wpa-psk'],
    ['WPA2', 1, 0, 0x188, 'wpa-psk'],
    ['WPA2 beside WPA3', 1, 0, 0x588, 'wpa-psk'],
    ['WPA3', 1, 0, 0x488, 'sae'],
    ['802.1X', 1, 0, 0x288, 'wpa-eap'],
    ['enhanced open', 0, 0, 0x888, 'owe'],
    ['Suite B alone', 1, 0, 0x2000, 'other'],
  ])('%s', (_what, flags, wpa, rsn, security) => {
    expect(securityOf(flags, wpa, rsn)).toBe(security);
  });
});

describe('A certificate file', () => {
  const data = temporaryFolder();
  const outside = join(temporaryFolder(), 'key.pem');
  mkdirSync(join(data, 'certs'));
  writeFileSync(join(data, 'certs', 'ca.pem'), 'a certificate');
  writeFileSync(outside, 'a key of somebody else');
  symlinkSync(outside, join(data, 'certs', 'link.pem'));

  it('may be below the data folder', async () => {
    expect(await certificateProblem(join(data, 'certs', 'ca.pem'), data)).toBeUndefined();
  });

  it.each([
    ['a relative path', 'certs/ca.pem'],
    ['a path elsewhere', outside],
    ['a path that climbs out', `${data}/certs/../../key.pem`],
    ['a path that climbs out of /etc/ssl/certs', '/etc/ssl/certs/../private/key.pem'],
    ['a path whose folder only begins like one', `${data}-more/ca.pem`],
    ['a link that leads out', join(data, 'certs', 'link.pem')],
    ['a URL', `file://${data}/certs/ca.pem`],
    ['a file that is not there', join(data, 'certs', 'none.pem')],
    ['a folder', join(data, 'certs')],
    ['the data folder itself', data],
  ])('is refused: %s', async (_what, path) => {
    expect(await certificateProblem(path, data)).toEqual(expect.any(String));
  });
});
