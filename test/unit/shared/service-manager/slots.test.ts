import { describe, expect, it } from '@jest/globals';
import { Slots } from '../../../../functions/shared/adapters/service-manager/slots.ts';

const never = new AbortController().signal;

describe('Slots', () => {
  it('let as many in as there are places, and the others in the order they came', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const leaveFirst = await slots.wait(never);
    const enter = async (name: string) => {
      const leave = await slots.wait(never);
      order.push(name);
      return leave;
    };
    const second = enter('second');
    const third = enter('third');
    expect(slots.take()).toBeUndefined();
    leaveFirst();
    (await second)();
    (await third)();
    expect(order).toEqual(['second', 'third']);
    expect(slots.take()).toBeDefined();
  });

  it('count a place once, however often it is left', () => {
    const slots = new Slots(1);
    const leave = slots.take();
    leave?.();
    leave?.();
    expect(slots.take()).toBeDefined();
    expect(slots.take()).toBeUndefined();
  });

  it('forget who gave up waiting', async () => {
    const slots = new Slots(1);
    const leave = slots.take();
    const controller = new AbortController();
    const waiting = slots.wait(controller.signal);
    controller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    leave?.();
    expect(slots.take()).toBeDefined();
    await expect(slots.wait(controller.signal)).rejects.toThrow('left');
  });
});
