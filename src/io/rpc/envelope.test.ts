import { describe, expect, it } from 'vitest';
import { encodedReply, errorReply, parseEnvelope, resultReply, VALUES_MAX } from './envelope.ts';
import { RawJson } from './method.ts';

function single(text: string) {
  const envelope = parseEnvelope(text);
  if (envelope.kind !== 'single') throw new Error(`not single: ${envelope.kind}`);
  return envelope.entry;
}

describe('parseEnvelope', () => {
  it('tells empty, broken and too much apart', () => {
    expect(parseEnvelope('').kind).toBe('empty');
    expect(parseEnvelope(' \n').kind).toBe('empty');
    expect(parseEnvelope('{').kind).toBe('unparsable');
    expect(parseEnvelope('[]').kind).toBe('emptyBatch');
    expect(parseEnvelope('[1]').kind).toBe('batch');
    expect(parseEnvelope(`[${'[],'.repeat(VALUES_MAX)}[]]`).kind).toBe('tooIntricate');
    expect(parseEnvelope(`["${'x'.repeat(5_000_000)}"]`).kind).toBe('batch');
  });

  it('reads a call; null params mean no params', () => {
    expect(single('{"jsonrpc":"2.0","id":7,"method":"m","params":[1]}')).toEqual({
      kind: 'call',
      id: '7',
      method: 'm',
      params: [1],
      length: 50,
    });
    expect(single('{"method":"m","params":null}')).toMatchObject({
      id: undefined,
      params: undefined,
    });
    expect(single('{"ID":1,"Method":"m"}')).toMatchObject({ kind: 'call', id: '1' });
  });

  it.each(['1.5', '-1', '12345678901234567890123', '"a\\"b"', 'null', '1e2'])(
    'echoes the id %s as it came',
    (id) => {
      expect(single(`{"id":${id},"method":"m"}`)).toMatchObject({ id });
    },
  );

  it('refuses what is not a call, naming the id where there is one', () => {
    expect(single('5')).toEqual({ kind: 'invalid', id: 'null' });
    expect(single('{}')).toEqual({ kind: 'invalid', id: 'null' });
    expect(single('{"id":3}')).toEqual({ kind: 'invalid', id: '3' });
    expect(single('{"id":3,"method":5}')).toEqual({ kind: 'invalid', id: '3' });
    expect(single('{"id":[1],"method":"m"}')).toEqual({ kind: 'invalid', id: 'null' });
    expect(single('{"id":3,"result":1}')).toEqual({ kind: 'response' });
  });
});

it('replies hold the id as text, and data only where there are some', () => {
  expect(resultReply('12345678901234567890', { a: 1 })).toBe(
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":{"a":1}}',
  );
  expect(JSON.parse(errorReply('1', -1, 'no'))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -1, message: 'no' },
  });
});

it('results that are JSON already are the same as text, as bytes and inside another result', () => {
  const bytes = new TextEncoder().encode('"é"');
  const pieces = Array.from({ length: 200_000 }, (_, at) => (at % 2 === 0 ? bytes : ','));
  const result = new RawJson(['[', ...pieces, '1]']);
  const value = [...new Array<string>(100_000).fill('é'), 1];
  const text = `{"jsonrpc":"2.0","id":7,"result":${JSON.stringify(value)}}`;
  expect(resultReply('7', result)).toBe(text);
  expect(new TextDecoder().decode(encodedReply('7', result))).toBe(text);
  expect(JSON.stringify({ list: [result] })).toBe(JSON.stringify({ list: [value] }));
});
