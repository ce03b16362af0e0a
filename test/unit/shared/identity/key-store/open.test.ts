import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../../../functions/shared/config.ts';
import { openKeyStore } from '../../../../../functions/shared/identity/adapters/key-store/open.ts';
import { formatRecords } from '../../../../../functions/shared/identity/adapters/key-store/records.ts';
import { keyRecord } from '../../../../support/auth.ts';
import { silentLogger, testConfig } from '../../../../support/world.ts';

const open = (settings: Record<string, string>) => openKeyStore(testConfig(settings), silentLogger, Date.now);

describe('API keys in SERVICE_API_KEYS', () => {
  it('work like those of the file', async () => {
    const revoked = keyRecord('k2', 'USER', { revoked_at: '2027-01-02T00:00:00Z' });
    const store = await open({ SERVICE_API_KEYS: formatRecords([keyRecord('k1'), revoked]) });
    expect(store.findBySecret('rk_k1')).toMatchObject({ id: 'k1' });
    expect(store.findBySecret('rk_k2')).toBeUndefined();
    expect(store.findById('k2')).toEqual(revoked);
  });

  it.each(['not json', '[]', '{"keys":[{"id":"x","secret":"rk_hidden"}]}'])(
    'are refused without showing them when they are %p',
    async (json) => {
      const refused = open({ SERVICE_API_KEYS: json });
      await expect(refused).rejects.toBeInstanceOf(ConfigError);
      await expect(refused).rejects.toThrow(/^SERVICE_API_KEYS cannot be used: (?!.*rk_hidden)/);
    },
  );

  it('are absent in the cloud without the setting, and no file is read', async () => {
    const store = await open({ AWS_LAMBDA_FUNCTION_NAME: 'auth', SERVICE_DATA_DIR: '/nowhere' });
    expect(store.findBySecret('rk_k1')).toBeUndefined();
    expect(store.problem()).toBeUndefined();
  });
});
