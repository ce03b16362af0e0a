import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { broken, hammer } from '../support/hammer.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';

const ROUNDS = 8;

describeWith('mosquitto', MOSQUITTO, 'A broker in trouble under 200 commands a second', () => {
  it('runs no command twice or late while it is repeatedly killed, and each is answered or fails clearly', async () => {
    const shots = await hammer(async (broker) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await pause(300 + ((round * 37) % 29) * 40);
        await broker.kill();
        await pause((round % 5) * 150);
        await broker.start();
      }
      await pause(1_000);
    });
    expect(broken(shots)).toEqual([]);
    expect(shots.at(-1)?.outcome).toBe('ok');
    expect(shots.filter(({ outcome }) => outcome !== 'ok').length).toBeGreaterThan(0);
  });

  it('runs no command that is delivered after its deadline by a frozen broker', async () => {
    const shots = await hammer(async (broker) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await pause(500);
        broker.freeze();
        await pause(300 + (round % 4) * 500);
        broker.goOn();
      }
      await pause(1_000);
    });
    expect(broken(shots)).toEqual([]);
    expect(shots.at(-1)?.outcome).toBe('ok');
    expect(shots.filter(({ outcome }) => outcome !== 'ok').length).toBeGreaterThan(0);
  });
});
