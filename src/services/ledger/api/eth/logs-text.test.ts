import { expect, it } from 'vitest';
import type { FoundLog } from '../../view/logs.ts';
import { renderFound } from './logs.ts';
import { LogsText } from './logs-text.ts';

const bytes = (length: number, first: number) =>
  Uint8Array.from({ length }, (_, at) => first + 37 * at);

function found(index: number, topics: number, dataBytes: number): FoundLog {
  const address = bytes(20, index);
  const log = {
    address,
    topics: Array.from({ length: topics }, (_, at) => bytes(32, index + at)),
    data: bytes(dataBytes, index),
  };
  const transactions = Array.from({ length: index + 1 }, (_, at) => ({ hash: bytes(32, at + 1) }));
  const block = { header: { number: 1_000 * index }, hash: bytes(32, index + 9), transactions };
  return { log, block, transactionIndex: index, logIndex: 17 * index } as unknown as FoundLog;
}

const decoder = new TextDecoder();

function textOf(logs: readonly FoundLog[]): string {
  const text = new LogsText();
  for (const each of logs) text.add(each);
  return decoder.decode(text.finish());
}

it('is the text of the logs as objects', () => {
  const cases = [
    [],
    [found(0, 0, 0)],
    [found(1, 4, 1), found(2, 1, 33), found(300, 3, 32)],
    Array.from({ length: 1_500 }, (_, at) => found(at % 40, at % 5, at)),
    [found(3, 2, 10), found(4, 1, 700_000), found(5, 1, 10)],
    [found(6, 1, 300_000)],
  ];
  for (const logs of cases) expect(textOf(logs)).toBe(JSON.stringify(logs.map(renderFound)));
});
