import { expect, it } from 'vitest';
import { ContractAnswers } from './contract-answers.ts';

const TERMS = { model: 'v2', networkAdminRole: 'ADMIN', orgAdminRole: 'ORGADMIN' } as const;
const YES = new Uint8Array(32).fill(1, 31);
const DOOR = new Uint8Array(20).fill(1);

function senderOf(number: number): Uint8Array {
  const sender = new Uint8Array(20);
  new DataView(sender.buffer).setUint32(0, number);
  return sender;
}

it('answers of 30,000 accounts and kinds are remembered, however many ask', () => {
  let calls = 0;
  const call = () => {
    calls++;
    return YES;
  };
  const answers = new ContractAnswers(call, DOOR, TERMS);
  const ask = (number: number) =>
    answers.allows({ sender: senderOf(number), to: DOOR, data: new Uint8Array(0) });
  for (let number = 0; number < 30_000; number++) expect(ask(number)).toBe(true);
  const [first] = [calls, ask(0)];
  expect(calls).toBe(first);
  ask(30_000);
  ask(0);
  expect(calls).toBe(first + 2);
});
