import { describe, expect, it } from 'vitest';
import { fail } from '../../../core/base/errors.ts';
import type { Method } from '../../../io/rpc/method.ts';
import type { Context } from './context.ts';
import { afterPrivate, patient } from './private-arrival.ts';

/**
 * A node whose private state is at `cursor`, and reaches the head when waited for, unless the
 * manager is unavailable.
 */
class Setting {
  cursor = 4;
  waits = 0;
  readonly head = 5;
  readonly isAway: boolean;

  constructor(isAway = false) {
    this.isAway = isAway;
  }

  get context(): Context {
    return {
      view: { isPrivateDone: (number: number) => this.cursor >= number },
      privateArrival: async () => {
        this.waits++;
        if (!this.isAway) this.cursor = this.head;
        return !this.isAway;
      },
    } as unknown as Context;
  }
}

describe('an answer about a block', () => {
  it('waits only for its private side', async () => {
    const setting = new Setting();
    expect(afterPrivate(setting.context, 4, () => setting.cursor)).toBe(4);
    expect(setting.waits).toBe(0);
    expect(await afterPrivate(setting.context, 5, () => setting.cursor)).toBe(5);
  });

  it('is given as things are while the manager is away', async () => {
    const setting = new Setting(true);
    expect(await afterPrivate(setting.context, 5, () => setting.cursor)).toBe(4);
  });
});

describe('a call that meets a private state which is behind', () => {
  const rowOf = (setting: Setting, access: 'view' | 'send', isAsync = false): Method<Context> => ({
    names: ['eth_call'],
    params: [],
    result: {},
    about: '',
    access,
    call() {
      const error = fail('PRIVATE_STATE_BEHIND', 'private state is at block 4 of 5');
      if (setting.cursor >= setting.head) return 'read';
      if (isAsync) return Promise.reject(error);
      throw error;
    },
  });
  const ask = async (row: Method<Context>, setting: Setting) =>
    patient(row).call(setting.context, 'eth_call', []);

  it.each([false, true])('is answered when that has arrived', async (isAsync) => {
    const setting = new Setting();
    expect(await ask(rowOf(setting, 'view', isAsync), setting)).toBe('read');
    expect(await ask(rowOf(setting, 'view', isAsync), setting)).toBe('read');
    expect(setting.waits).toBe(1);
  });

  it('fails while the manager is away', async () => {
    const setting = new Setting(true);
    await expect(ask(rowOf(setting, 'view'), setting)).rejects.toThrow('at block 4 of 5');
  });

  it('is not made again where it sends', async () => {
    const setting = new Setting();
    await expect(ask(rowOf(setting, 'send'), setting)).rejects.toThrow('at block 4 of 5');
  });

  it('fails with what else is wrong', async () => {
    const setting = new Setting();
    const row = { ...rowOf(setting, 'view'), call: () => Promise.reject(new Error('reverted')) };
    await expect(ask(row, setting)).rejects.toThrow('reverted');
    expect(setting.waits).toBe(0);
  });
});
