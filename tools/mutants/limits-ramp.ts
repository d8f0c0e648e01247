/** Limits of the on-ramp. */
import type { Limit } from './limit.ts';

const RAMP = 'src/services/ramp';
const RATE = { file: `${RAMP}/api/rate-limit.ts`, test: `${RAMP}/api/rate-limit.service.test.ts` };
const API = `${RAMP}/api/api.service.test.ts`;
const BOUNDS = `${RAMP}/api/bounds.service.test.ts`;
const OPERATIONS = { file: `${RAMP}/api/operations.ts`, test: API };
const PAGES = `${RAMP}/pages/widget.service.test.ts`;
const REQUEST = { file: `${RAMP}/pages/widget-request.ts`, test: PAGES };
const WEBHOOKS = `${RAMP}/webhooks/webhooks.service.test.ts`;
const OPERATOR = {
  file: `${RAMP}/operation/operator.ts`,
  test: `${RAMP}/operation/operator.test.ts`,
};

export const RAMP_LIMITS: readonly Limit[] = [
  { ...RATE, name: 'ramp: requests of an address', on: 'if (left < 0) {', off: 'if (false) {' },
  {
    ...RATE,
    name: 'ramp: addresses that are remembered',
    on: 'const ADDRESSES_MAX = 100_000;',
    off: 'const ADDRESSES_MAX = 1e9;',
    only: 'remembers 100,000',
  },
  {
    ...OPERATIONS,
    name: 'ramp: orders that are guessed',
    on: 'limit.take(call.address, MISS_COST);',
    off: '',
    test: BOUNDS,
    only: 'guesses',
  },
  {
    name: "ramp: guesses of the operator's token",
    file: `${RAMP}/operation/routes.ts`,
    on: 'limit.take(addresses.of(request), GUESS_COST);',
    off: '',
    test: `${RAMP}/operation/operator.service.test.ts`,
    only: 'lets nobody guess',
  },
  {
    name: 'ramp: body of a request',
    file: `${RAMP}/start.ts`,
    on: 'const BODY_BYTES_MAX = 64 * 1024;',
    off: 'const BODY_BYTES_MAX = 1e9;',
    test: BOUNDS,
    only: 'bodies of at most 64 KB',
  },
  {
    name: 'ramp: a parameter',
    file: `${RAMP}/api/operation.ts`,
    on: 'if (text.length > TEXT_MAX)',
    off: 'if (false)',
    test: API,
    only: 'quotes',
  },
  {
    ...OPERATIONS,
    name: 'ramp: orders of a list',
    on: 'const LIMIT_MAX = 1_000;',
    off: 'const LIMIT_MAX = 1e9;',
    only: 'orders',
  },
  {
    ...OPERATIONS,
    name: 'ramp: skip of a list',
    on: 'const SKIP_MAX = 1_000_000_000;',
    off: 'const SKIP_MAX = 1e12;',
    only: 'orders',
  },
  {
    ...REQUEST,
    name: 'ramp: answers of a page',
    on: 'const ANSWERS_MAX = 20;',
    off: 'const ANSWERS_MAX = 1e9;',
    only: 'is refused where it is malformed',
  },
  {
    ...REQUEST,
    name: 'ramp: length of an answer',
    on: 'const ANSWER_CHARACTERS_MAX = 1_000;',
    off: 'const ANSWER_CHARACTERS_MAX = 1e9;',
    only: 'is refused where it is malformed',
  },
  {
    name: 'ramp: pages without an order',
    file: `${RAMP}/orders/sessions.ts`,
    on: 'nowMs - KEPT_MS,',
    off: '0,',
    test: PAGES,
    only: 'is forgotten a day',
  },
  {
    name: 'ramp: payments of an order',
    file: 'src/core/ramp/buy-order.ts',
    on: 'const PAYMENTS_MAX = 100;',
    off: 'const PAYMENTS_MAX = 1e9;',
    test: 'src/core/ramp/buy-order.test.ts',
  },
  {
    name: 'ramp: deposits of an order',
    file: 'src/core/ramp/sell-order.ts',
    on: 'const DEPOSITS_MAX = 100;',
    off: 'const DEPOSITS_MAX = 1e9;',
    test: 'src/core/ramp/sell-order.test.ts',
  },
  {
    name: 'ramp: signatures of a webhook',
    file: `${RAMP}/webhooks/signature.ts`,
    on: 'const SIGNATURES_MAX = 10;',
    off: 'const SIGNATURES_MAX = 1e9;',
    test: WEBHOOKS,
    only: 'signs as the Standard Webhooks',
  },
  {
    name: 'ramp: attempts of a webhook',
    file: `${RAMP}/webhooks/deliveries.ts`,
    on: 'if (pauseMs !== undefined) return;',
    off: 'return;',
    test: WEBHOOKS,
    only: 'gives a message up',
  },
  {
    name: 'ramp: blocks of a turn of the deposit watcher',
    file: `${RAMP}/settlement/deposit-watcher.ts`,
    on: 'const BLOCKS_MAX = 200;',
    off: 'const BLOCKS_MAX = 1e9;',
    test: `${RAMP}/settlement/deposit-watcher.service.test.ts`,
  },
  {
    name: 'transactions of a service that wait for a block',
    file: 'src/core/submission/submitter.ts',
    on: 'const LIVE_MAX = 256;',
    off: 'const LIVE_MAX = 1e9;',
    test: 'src/core/submission/submitter.test.ts',
  },
  {
    ...OPERATOR,
    name: "ramp: orders of an operator's list",
    file: `${RAMP}/operation/order-search.ts`,
    on: 'const LIST_MAX = 200;',
    off: 'const LIST_MAX = 1e9;',
  },
  {
    ...OPERATOR,
    name: 'ramp: entries of an order',
    on: 'const HISTORY_MAX = 1_000;',
    off: 'const HISTORY_MAX = 1e9;',
  },
  {
    ...OPERATOR,
    name: 'ramp: days of volume',
    on: 'const VOLUME_DAYS_MAX = 366;',
    off: 'const VOLUME_DAYS_MAX = 1e9;',
  },
];
