import { describe, expect, it } from '@jest/globals';
import { createHostCheck } from '../../../../local-host/http/host-header.ts';

describe('The Host header', () => {
  it('may name any port, however many were named before', () => {
    const check = createHostCheck([]);
    for (let port = 1; port <= 200; port += 1) expect(() => check(`localhost:${port}`)).not.toThrow();
    expect(() => check('evil.example')).toThrow(expect.objectContaining({ code: 'host_not_allowed' }));
  });

  it('is always refused when it names another host', () => {
    const check = createHostCheck(['robot.example']);
    check('robot.example:8000');
    for (let round = 0; round < 2; round += 1) {
      expect(() => check('robot.example.evil.example')).toThrow(expect.objectContaining({ code: 'host_not_allowed' }));
    }
  });
});
