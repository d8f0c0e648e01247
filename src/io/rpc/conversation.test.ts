import { afterEach, expect, it, vi } from 'vitest';
import { newTraffic } from '../http/traffic.ts';
import { Conversation } from './conversation.ts';

const CALLS = 100;

afterEach(() => vi.restoreAllMocks());

it('calls that follow each other leave a turn to others after five milliseconds', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const answers: string[] = [];
  const wire = {
    pause: () => undefined,
    resume: () => undefined,
    end: () => undefined,
    write: (text: string | Uint8Array, taken: () => void) => {
      answers.push(String(text));
      taken();
    },
  };
  const conversation = new Conversation({
    dispatcher: {
      reply: async (text) => {
        nowMs += 1;
        return `answer to ${text}`;
      },
    },
    wire,
    callerOf: () => ({}) as never,
    traffic: newTraffic(),
    source: 'a',
  });
  for (let call = 0; call < CALLS; call++) conversation.message(`${call}`);
  for (let turn = 1; answers.length < CALLS; turn++) {
    const before = answers.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers.length - before, `turn ${turn}`).toBeLessThanOrEqual(10);
  }
  expect(answers).toEqual(Array.from({ length: CALLS }, (_, call) => `answer to ${call}`));
});

it('frees the bytes of an answer when the client has read it', async () => {
  const answer = new Uint8Array(3);
  let taken: (() => void) | undefined;
  const conversation = new Conversation({
    dispatcher: { reply: async () => answer },
    wire: {
      pause: () => undefined,
      resume: () => undefined,
      end: () => undefined,
      write: (_, done) => {
        taken = done;
      },
    },
    callerOf: () => ({}) as never,
    traffic: newTraffic(),
    source: 'a',
  });
  conversation.message('a call');
  while (!taken) await new Promise((resolve) => setImmediate(resolve));
  expect(answer.length).toBe(3);
  taken();
  expect(answer.length).toBe(0);
});
