import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { fileRecord } from '../../../../functions/system/network/adapters/wifi-record-file.ts';
import { configureWifi } from '../../../../functions/system/network/configure-wifi.ts';
import { WiFiConfig } from '../../../../functions/system/network/wifi-config.schema.ts';
import { CONNECTION, FakeRecord, FakeWifi, heard } from '../../../support/fake-wifi.ts';
import { silentLogger, temporaryFolder } from '../../../support/world.ts';

const kitchen = { ssid: 'Kitchen', password: 'correct horse' };
const corp = { ssid: 'Corp', eap_method: 'PEAP', identity: 'bob', password: 'hunter2' };

function arrange({ allowUnverifiedEap = false } = {}) {
  const wifi = new FakeWifi();
  wifi.known = [heard('Kitchen', 'wpa-psk'), heard('Corp', 'wpa-eap'), heard('Old', 'other'), heard('Lobby', 'open')];
  const record = new FakeRecord();
  const run = (config: object) => configureWifi({ wifi, record, allowUnverifiedEap }, WiFiConfig.parse(config));
  return { wifi, record, run };
}

describe('Configuring Wi-Fi', () => {
  it('joins under a checkpoint that outlasts the join, and keeps what works', async () => {
    const { wifi, record, run } = arrange();
    expect(await run(kitchen)).toBe(CONNECTION);
    expect(wifi.steps).toEqual(['begin 60', 'join 45', 'keep']);
    expect(record.latest).toMatchObject({ ssid: 'Kitchen', outcome: 'connected' });
  });

  it.each(['join', 'keep'] as const)('undoes everything when %s fails, and says why', async (step) => {
    const { wifi, record, run } = arrange();
    wifi.fail = { [step]: new ServiceError('wifi_no_address', { detail: 'No address.' }) };
    await expect(run(kitchen)).rejects.toMatchObject({ code: 'wifi_no_address', message: 'No address.' });
    expect(wifi.steps.at(-1)).toBe('undo');
    expect(record.latest).toMatchObject({ ssid: 'Kitchen', outcome: 'failed', code: 'wifi_no_address' });
  });

  it('reports when the previous connection is not restored at once', async () => {
    const { wifi, run } = arrange();
    wifi.fail = { join: new ServiceError('wifi_wrong_password', { detail: 'Refused.' }) };
    wifi.comesBack = false;
    await expect(run(kitchen)).rejects.toMatchObject({
      code: 'wifi_wrong_password',
      message: expect.stringContaining('has not been restored yet'),
    });
  });

  it("keeps NetworkManager's reason in that warning and passes unexpected errors on", async () => {
    const { wifi, run } = arrange();
    wifi.comesBack = false;
    const errors = [{ pointer: '/password', message: 'Too short.' }];
    wifi.fail = { join: new ServiceError('validation_failed', { detail: 'Refused.', errors }) };
    await expect(run(kitchen)).rejects.toMatchObject({
      code: 'validation_failed',
      errors,
      message: expect.stringContaining('has not been restored yet'),
    });
    wifi.fail = { join: new TypeError('not foreseen') };
    await expect(run(kitchen)).rejects.toThrow(TypeError);
  });

  it('joins an enhanced open network without a password', async () => {
    const { wifi, run } = arrange();
    wifi.known = [heard('Café', 'owe')];
    expect(await run({ ssid: 'Café' })).toBe(CONNECTION);
    expect(wifi.profile?.credentials).toEqual({ kind: 'owe' });
  });

  it('changes nothing without a checkpoint', async () => {
    const { wifi, run } = arrange();
    wifi.fail = { begin: new ServiceError('component_unavailable', { detail: 'No checkpoints.' }) };
    await expect(run(kitchen)).rejects.toMatchObject({ code: 'component_unavailable' });
    expect(wifi.steps).toEqual(['begin 60']);
  });

  it('changes nothing for a network not found by a new scan', async () => {
    const { wifi, run } = arrange();
    await expect(run({ ssid: 'Nowhere' })).rejects.toMatchObject({ code: 'wifi_ssid_not_found' });
    expect(wifi.steps).toEqual(['scan']);
  });

  it('finds a network that only a scan shows', async () => {
    const { wifi, run } = arrange();
    wifi.scanned = [heard('Attic', 'sae')];
    await run({ ssid: 'Attic', password: 'correct horse' });
    expect(wifi.profile?.credentials).toEqual({ kind: 'sae', password: 'correct horse' });
    expect(wifi.steps).toEqual(['scan', 'begin 60', 'join 45', 'keep']);
  });

  it('passes a failed scan on', async () => {
    const { wifi, run } = arrange();
    wifi.fail = { survey: new ServiceError('component_unavailable', { detail: 'Deaf.' }) };
    await expect(run({ ssid: 'Nowhere' })).rejects.toMatchObject({ code: 'component_unavailable' });
  });

  it('takes the security of the strongest access point of that name', async () => {
    const { wifi, run } = arrange();
    wifi.known = [heard('Home', 'open', 10), heard('Home', 'wpa-psk', 90)];
    await run({ ssid: 'Home', password: 'correct horse' });
    expect(wifi.profile?.credentials.kind).toBe('wpa-psk');
  });

  it('does not scan for a hidden network', async () => {
    const { wifi, run } = arrange();
    await run({ ssid: 'Secret', is_hidden: true, password: 'correct horse', band: '2.4GHz' });
    expect(wifi.profile).toEqual({
      ssid: 'Secret',
      hidden: true,
      band: 'bg',
      credentials: { kind: 'wpa-psk', password: 'correct horse' },
    });
  });

  it('allows WPA3 where WPA2 is offered as well', async () => {
    const { wifi, run } = arrange();
    await run({ ...kitchen, security: 'sae' });
    expect(wifi.profile?.credentials.kind).toBe('sae');
  });

  it.each([
    ['a short password, once the scan has told', { ssid: 'Kitchen', password: 'short' }, '/password'],
    ['a missing password, once the scan has told', { ssid: 'Kitchen' }, '/password'],
    ['a password for an open network', { ssid: 'Lobby', password: 'correct horse' }, '/password'],
    ['802.1X where the network has none', { ...corp, ssid: 'Kitchen', subject_match: 'x' }, '/eap_method'],
    ['another security than the network has', { ...kitchen, ssid: 'Corp', security: 'wpa-psk' }, '/security'],
    ['802.1X without its fields, once the scan has told', { ssid: 'Corp' }, '/eap_method'],
    ['WEP', { ssid: 'Old', password: 'abcde' }, '/ssid'],
    ['a certificate that is not there', { ...corp, ca_cert: '/root/ca.pem' }, '/ca_cert'],
    ['a server that nothing checks', corp, '/domain_suffix_match'],
  ])('refuses %s without touching the connection', async (_what, config, pointer) => {
    const { wifi, run } = arrange();
    await expect(run(config)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
    });
    expect(wifi.steps).toEqual([]);
  });

  it.each([
    ['its own CA', { ca_cert: '/etc/ssl/certs/own.pem' }, false],
    ['the CAs of the system and a name', { domain_suffix_match: 'radius.lab' }, true],
    ['the CAs of the system and a subject', { subject_match: 'CN=radius' }, true],
    ['the password itself (PWD)', { eap_method: 'PWD' }, false],
  ])('verifies the server by %s', async (_what, fields, systemCas) => {
    const { wifi, run } = arrange();
    await run({ ...corp, ...fields });
    expect(wifi.profile?.credentials).toMatchObject({ kind: 'wpa-eap', systemCas });
  });

  it('skips server verification only when the setting allows it', async () => {
    const { wifi, run } = arrange({ allowUnverifiedEap: true });
    await run(corp);
    expect(wifi.profile?.credentials).toMatchObject({ systemCas: false, caCert: null });
  });

  it('runs one configure at a time', async () => {
    const { wifi } = arrange();
    const record = fileRecord(join(temporaryFolder(), 'last.json'), Date.now, silentLogger);
    const run = () => configureWifi({ wifi, record, allowUnverifiedEap: false }, WiFiConfig.parse(kitchen));
    let proceed: () => void = () => undefined;
    wifi.wait = new Promise((resolve) => {
      proceed = resolve;
    });
    const first = run();
    await expect(run()).rejects.toMatchObject({ code: 'busy' });
    expect(await record.last()).toMatchObject({ outcome: 'in_progress' });
    proceed();
    await first;
    wifi.fail = { join: new Error('not foreseen') };
    await expect(run()).rejects.toThrow('not foreseen');
    expect(await record.last()).toMatchObject({ outcome: 'failed', code: 'internal_error' });
    wifi.fail = {};
    expect(await run()).toBe(CONNECTION);
  });
});
