import { describe, expect, it } from '@jest/globals';
import { AllowedPortCfg, FirewallPortEntry } from '../../../../functions/system/access-models/firewall.schema.ts';
import { SSHKeyCreate, SSHKeyEntry } from '../../../../functions/system/access-models/ssh-key.schema.ts';

const port = { port: 8000, purpose: 'REST', protocol: 'tcp', direction: 'INPUT', state: 'OPEN' };
const allowed = { purpose: 'REST', protocol: 'udp', direction: 'OUTPUT' };
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPBuVTPTGCr9XxYbNbPAlbY9Y4qnrTBEiP4SvsTfbYf';
const entry = { id: 0, name: 'ana', created_at: null, fingerprint: 'SHA256:abc' };

const taken = [
  ['port 1', FirewallPortEntry, { ...port, port: 1 }],
  ['port 65535', FirewallPortEntry, { ...port, port: 65535 }],
  ['state CLOSED', FirewallPortEntry, { ...port, state: 'CLOSED' }],
  ['state UNSET', FirewallPortEntry, { ...port, state: 'UNSET' }],
  ['state UNKNOWN', FirewallPortEntry, { ...port, state: 'UNKNOWN' }],
  ['udp, OUTPUT', AllowedPortCfg, allowed],
  ['a key', SSHKeyCreate, { public_key: KEY }],
  ['a key with a comment', SSHKeyCreate, { public_key: `${KEY} ana@laptop at home` }],
  ['a key with options', SSHKeyCreate, { public_key: `restrict,command="echo \\"hi\\" all" ${KEY}` }],
  ['an RSA key', SSHKeyCreate, { public_key: 'ssh-rsa AAAAB3NzaC1yc2E=' }],
  ['a security key', SSHKeyCreate, { public_key: 'sk-ssh-ed25519@openssh.com AAAA' }],
  ['an unknown date', SSHKeyEntry, entry],
  ['a date', SSHKeyEntry, { ...entry, created_at: '2026-03-01T09:30:00Z' }],
] as const;

const refused = [
  ['port 0', FirewallPortEntry, { ...port, port: 0 }],
  ['port 65536', FirewallPortEntry, { ...port, port: 65536 }],
  ['port 80.5', FirewallPortEntry, { ...port, port: 80.5 }],
  ['a port as text', FirewallPortEntry, { ...port, port: '80' }],
  ['protocol sctp', FirewallPortEntry, { ...port, protocol: 'sctp' }],
  ['protocol TCP', FirewallPortEntry, { ...port, protocol: 'TCP' }],
  ['direction FORWARD', FirewallPortEntry, { ...port, direction: 'FORWARD' }],
  ['state open', FirewallPortEntry, { ...port, state: 'open' }],
  ['no purpose', FirewallPortEntry, { ...port, purpose: undefined }],
  ['a field it does not know', FirewallPortEntry, { ...port, owner: 'ana' }],
  ['an allowed port with a state', AllowedPortCfg, { ...allowed, state: 'OPEN' }],
  ['an allowed port without direction', AllowedPortCfg, { purpose: 'REST', protocol: 'tcp' }],
  ['an empty key', SSHKeyCreate, { public_key: '' }],
  ['a key of blanks', SSHKeyCreate, { public_key: ' \n\t' }],
  ['a word', SSHKeyCreate, { public_key: 'hello' }],
  ['a type without a key', SSHKeyCreate, { public_key: 'ssh-ed25519' }],
  ['two lines', SSHKeyCreate, { public_key: `${KEY}\n${KEY}` }],
  ['a private key', SSHKeyCreate, { public_key: '-----BEGIN OPENSSH PRIVATE KEY-----' }],
  ['no date at all', SSHKeyEntry, { id: 0, name: 'ana', fingerprint: 'SHA256:abc' }],
  ['a date of another form', SSHKeyEntry, { ...entry, created_at: 'yesterday' }],
  ['an index of 1.5', SSHKeyEntry, { ...entry, id: 1.5 }],
] as const;

describe('The models without endpoints', () => {
  it.each(taken)('take %s', (_what, schema, value) => {
    expect(schema.safeParse(value).success).toBe(true);
  });

  it.each(refused)('refuse %s', (_what, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  it('trim a key', () => {
    expect(SSHKeyCreate.parse({ public_key: `  ${KEY} \n` })).toEqual({ public_key: KEY });
  });

  it('have valid examples', () => {
    for (const schema of [FirewallPortEntry, AllowedPortCfg, SSHKeyCreate, SSHKeyEntry])
      expect(schema.safeParse(schema.meta()?.example).success).toBe(true);
  });
});
