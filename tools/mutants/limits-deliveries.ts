/**
 * Limits of requests and payloads on their way from a node to its manager, and between managers.
 */
import type { Limit } from './limit.ts';

const QUEUE = {
  file: 'src/services/ptm/manager/push-queue.ts',
  test: 'src/services/ptm/manager/push-queue.test.ts',
};

export const DELIVERY_LIMITS: readonly Limit[] = [
  {
    ...QUEUE,
    name: 'manager: payloads that wait for a peer',
    on: 'queue.waiting.length >= WAITING_PAYLOADS_MAX ||',
    off: 'queue.waiting.length >= 1e9 + WAITING_PAYLOADS_MAX ||',
    only: 'so many payloads',
  },
  {
    ...QUEUE,
    name: 'manager: bytes that wait for a peer',
    on: 'queue.waitingBytes + payload.length > WAITING_BYTES_MAX',
    off: 'queue.waitingBytes + payload.length > 1e12 + WAITING_BYTES_MAX',
    only: 'so many bytes',
  },
  {
    ...QUEUE,
    name: 'manager: how long payloads are collected for a peer',
    on: 'const GATHERING_MS = 25;',
    off: 'const GATHERING_MS = 1e6;',
    only: 'no more than 25 ms',
  },
  {
    ...QUEUE,
    name: 'manager: batches on their way to a peer',
    on: 'const BATCHES_MAX = 2;',
    off: 'const BATCHES_MAX = 1e6;',
    only: 'no more than two batches',
  },
  {
    name: 'manager: how long requests of a node are collected',
    file: 'src/io/ptm-client/courier.ts',
    on: 'const GATHERING_MS = 25;',
    off: 'const GATHERING_MS = 1e6;',
    test: 'src/io/ptm-client/courier.service.test.ts',
    only: 'no more than 25 ms',
  },
  {
    name: 'manager: how long payloads of the pool are not asked for',
    file: 'src/services/ledger/node/private-state/payload-prefetch.ts',
    on: 'const GATHERING_MS = 100;',
    off: 'const GATHERING_MS = 1e6;',
    test: 'src/services/ledger/node/private-state/payload-prefetch.test.ts',
    only: '100 ms after',
  },
  {
    name: 'manager: transactions of the pool whose payloads are not asked for',
    file: 'src/services/ledger/node/private-state/payload-prefetch.ts',
    on: 'const TRANSACTIONS_MAX = 256;',
    off: 'const TRANSACTIONS_MAX = 1e6;',
    test: 'src/services/ledger/node/private-state/payload-prefetch.test.ts',
    only: 'when there are 256',
  },
];
