/** Limits on named URLs: how many are asked and wait, and when one is asked again. */
import { expect, it } from 'vitest';
import { fail } from '../../../core/base/errors.ts';
import { Candidates, type CandidatesOptions } from './candidates.ts';
import { SourceBudget } from './source-budget.ts';

/** Long enough for a busy machine. */
const ROOM = { timeout: 60_000 };

const PLENTY = { burst: 100_000, perSecond: 0 };
const urlOf = (number: number) => `http://host-${number}:9000/`;

function candidatesOf({ strangers = PLENTY, hasRoom = true } = {}) {
  const clock = { ms: 0, nowMs: () => clock.ms };
  const asked: string[] = [];
  let answer: (url: string) => Promise<undefined> = () => new Promise(() => undefined);
  const candidates = new Candidates({
    table: { has: () => false, hasRoom: () => hasRoom },
    wire: {
      checkUrl: () => undefined,
      describe: (url: string) => {
        asked.push(url);
        return answer(url);
      },
    },
    clock,
    say: () => undefined,
    strangers: new SourceBudget(strangers, PLENTY, clock),
    peers: new SourceBudget(PLENTY, PLENTY, clock),
  } as unknown as CandidatesOptions);
  const refusals: string[] = [];
  const offer = async (number: number, source: string) => {
    void candidates.offer(urlOf(number), source).catch(({ code }) => refusals.push(code));
    await Promise.resolve();
  };
  return {
    ...{ candidates, clock, asked, refusals, offer },
    answers: (next: typeof answer) => {
      answer = next;
    },
  };
}

it('asks four URLs of one source at a time, and eight of all', async () => {
  const { offer, asked } = candidatesOf();
  for (let i = 0; i < 20; i++) await offer(i, 'a');
  await expect.poll(() => asked.length, ROOM).toBe(4);
  for (let i = 20; i < 80; i++) await offer(i, `other ${i}`);
  await expect.poll(() => asked.length, ROOM).toBe(8);
});

it('lets so many of one source wait, and so many of all', async () => {
  const { offer, refusals } = candidatesOf();
  // Four are asked, 64 wait.
  for (let i = 0; i < 68; i++) await offer(i, 'a');
  await Promise.resolve();
  expect(refusals).toEqual([]);
  await offer(68, 'a');
  await expect.poll(() => refusals, ROOM).toEqual(['PTM_TOO_MANY']);
  // Four more are asked, 192 more wait.
  for (let i = 100; i < 296; i++) await offer(i, `other ${i}`);
  expect(refusals).toHaveLength(1);
  await offer(300, 'last');
  await expect.poll(() => refusals, ROOM).toEqual(['PTM_TOO_MANY', 'PTM_BUSY']);
});

it('takes so many from one source as its budget has, each URL once', async () => {
  const { offer, refusals } = candidatesOf({ strangers: { burst: 3, perSecond: 0 } });
  for (const number of [1, 1, 2, 3, 1]) await offer(number, 'a');
  expect(refusals).toEqual([]);
  await offer(4, 'a');
  await offer(5, 'b');
  await expect.poll(() => refusals, ROOM).toEqual(['PTM_TOO_MANY']);
});

it('takes none while the table is full', async () => {
  const { offer, refusals, asked } = candidatesOf({ hasRoom: false });
  await offer(1, 'a');
  await expect.poll(() => refusals, ROOM).toEqual(['PTM_BUSY']);
  expect(asked).toEqual([]);
});

it('does not ask one again for ten seconds that did not answer, nor any other at its address', async () => {
  const { candidates, clock, asked, answers } = candidatesOf();
  answers(() => Promise.reject(fail('PTM_PEER_OFFLINE', 'nobody answers')));
  const offered = (url: string) => candidates.offer(url, 'a').catch(({ code }) => code as string);
  expect(await offered(urlOf(1))).toBe('PTM_PEER_UNPROVEN');
  clock.ms = 9_999;
  for (const path of ['', 'x/', 'y/']) {
    expect(await offered(urlOf(1) + path)).toBe('PTM_PEER_UNPROVEN');
  }
  expect(asked).toHaveLength(1);
  clock.ms = 10_000;
  await offered(urlOf(1));
  expect(asked).toHaveLength(2);
});
