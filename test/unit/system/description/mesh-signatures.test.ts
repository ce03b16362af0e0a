import { beforeEach, describe, expect, it } from '@jest/globals';
import { MeshSignatures } from '../../../../functions/system/description/mesh-signatures.ts';
import { FakeSigningKeys, keyRecord, tokenWorld } from '../../../support/auth.ts';

const TEN_MINUTES = 600_000;
const PATH = 'arm/meshes/base.dae';

let world: ReturnType<typeof tokenWorld>;
let signatures: MeshSignatures;
beforeEach(() => {
  world = tokenWorld();
  signatures = new MeshSignatures(world);
});

const refusal = (signature: string, path = PATH) => {
  try {
    signatures.assertValid(signature, path);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code; // as: it throws ServiceError alone
  }
};

describe('The signature of a mesh', () => {
  it('opens the first folder of its path and no other', () => {
    const signature = signatures.sign(PATH, 'k1');
    expect([PATH, 'arm/textures/skin.png', 'arm/a'].map((path) => refusal(signature, path))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    for (const path of ['hand/base.dae', 'arm', 'arm2/a.stl', 'arm%2Fa.stl', '', '/arm/a.stl', '../arm/a.stl']) {
      expect([path, refusal(signature, path)]).toEqual([path, 'token_invalid']);
    }
  });

  it('of a file without a folder opens those beside it alone', () => {
    const signature = signatures.sign('base.dae', 'k1');
    expect([refusal(signature, 'skin.png'), refusal(signature, PATH)]).toEqual([undefined, 'token_invalid']);
  });

  it('ends after 10 minutes', () => {
    const signature = signatures.sign(PATH, 'k1');
    world.now += TEN_MINUTES - 1;
    expect(refusal(signature)).toBeUndefined();
    world.now += 1;
    expect(refusal(signature)).toBe('token_expired');
  });

  it.each<[string, Partial<ReturnType<typeof keyRecord>>]>([
    ['is revoked', { revoked_at: '2026-01-01T00:00:00Z' }],
    ['has ended', { expires_at: '2020-01-01T00:00:00Z' }],
    ['is limited to other robots', { robots: ['another'] }],
  ])('ends when the API key of the asker %s', (_what, change) => {
    const signature = signatures.sign(PATH, 'k1');
    world.keyStore.records = [{ ...keyRecord('k1'), ...change }];
    expect(refusal(signature)).toBe('key_revoked');
    world.keyStore.records = [];
    expect(refusal(signature)).toBe('key_revoked');
  });

  it('of a caller over the socket ends when the tokens of the socket are revoked', () => {
    const signature = signatures.sign(PATH, 'local');
    expect(refusal(signature)).toBeUndefined();
    world.revocations.generation = 'next';
    expect(refusal(signature)).toBe('token_invalid');
  });

  it('ends with the key that signed it', () => {
    const signature = signatures.sign(PATH, 'k1');
    world.signingKeys.ring = new FakeSigningKeys().ring;
    expect(refusal(signature)).toBe('token_invalid');
  });

  it('is refused with any change, and so is anything else', () => {
    const signature = signatures.sign(PATH, 'k1');
    const [end = '', kid = '', keyId = '', bytes = ''] = signature.split('.');
    const later = (Number.parseInt(end, 36) + 1).toString(36);
    const forged = [
      [later, kid, keyId, bytes],
      [end, kid, 'k2', bytes],
      [end, kid, keyId, `${bytes.slice(0, 40)}${bytes[40] === 'A' ? 'B' : 'A'}${bytes.slice(41)}`],
      [end, kid, keyId],
      ['', kid, keyId, bytes],
    ].map((parts) => parts.join('.'));
    for (const one of [...forged, '', '~', 'a.b.c', `${signature}=`]) {
      expect([one, refusal(one)]).toEqual([one, 'token_invalid']);
    }
  });

  it('is for one robot', () => {
    const other = new MeshSignatures({ ...world, config: { ...world.config, SERVICE_ROBOT_ID: 'another' } });
    expect(refusal(other.sign(PATH, 'k1'))).toBe('token_invalid');
  });

  it('is made once for a folder, so that clients fetch only once what its meshes share', () => {
    const sign = signatures.signer('k1');
    expect(sign('arm/a.dae')).toBe(sign('arm/deep/b.dae'));
    expect(sign('arm/a.dae')).not.toBe(sign('base/a.dae'));
    expect(refusal(sign('base/a.dae'), 'base/a.dae')).toBe(undefined);
  });
});
