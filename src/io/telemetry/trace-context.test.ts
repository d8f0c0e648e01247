import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bareHex } from '../../core/base/hex.ts';
import {
  currentTrace,
  parseTraceparent,
  traceHeaders,
  traceparentOf,
  withTrace,
} from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('reads what the W3C recommendation gives as an example', () => {
  const sampled = { traceId: TRACE, spanId: SPAN, isSampled: true };
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual(sampled);
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...sampled, isSampled: false });
  // A later version may have more fields.
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-will-be`)).toEqual(sampled);
});

it.each([
  undefined,
  '',
  7,
  [`00-${TRACE}-${SPAN}-01`],
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
])('ignores %j', (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

it('reads what it writes', () => {
  const id = (length: number) =>
    fc
      .uint8Array({ minLength: length, maxLength: length })
      .filter((bytes) => bytes.some((byte) => byte > 0))
      .map(bareHex);
  fc.assert(
    fc.property(id(16), id(8), fc.boolean(), (traceId, spanId, isSampled) => {
      const context = { traceId, spanId, isSampled };
      expect(parseTraceparent(traceparentOf(context))).toEqual(context);
    }),
  );
});

it('knows the span of what a span has started, and none elsewhere', async () => {
  const context = { traceId: TRACE, spanId: SPAN, isSampled: true };
  const inside = await withTrace(context, async () => {
    await Promise.resolve();
    return [currentTrace(), traceHeaders()];
  });
  expect(inside).toEqual([context, [['traceparent', `00-${TRACE}-${SPAN}-01`]]]);
  expect([currentTrace(), traceHeaders()]).toEqual([undefined, []]);
  expect(withTrace({ ...context, isSampled: false }, traceHeaders)).toEqual([]);
});
