/** Limits of what waits in a node or a service: for receipts, blocks, signatures and checks. */
import type { Limit } from './limit.ts';

export const WAITING_LIMITS: readonly Limit[] = [
  {
    name: 'keys derived from passwords at once',
    file: 'src/io/keys/account-store.ts',
    on: 'width: 1, waitingMax',
    off: 'width: 4, waitingMax',
    test: 'src/io/keys/keys.service.test.ts',
    only: 'derives one key at a time',
  },
  {
    name: 'calls with a password that wait',
    file: 'src/io/keys/account-store.ts',
    on: 'return await this.gate.run(work);',
    off: 'return await work();',
    test: 'src/io/keys/keys.service.test.ts',
    only: 'derives one key at a time',
  },
  {
    name: 'clients that wait for a receipt',
    file: 'src/services/ledger/api/eth/send-sync.ts',
    on: 'if (waiting >= WAITERS_MAX)',
    off: 'if (waiting < 0)',
    test: 'src/services/ledger/api/eth/send-sync.test.ts',
  },
  {
    name: 'clients that wait for the block of an action on permissions',
    file: 'src/services/ledger/node/permission/permission-requests.ts',
    on: 'if (this.waiting >= WAITERS_MAX) {',
    off: 'if (this.waiting < 0) {',
    test: 'src/services/ledger/node/permission/permission-requests.test.ts',
    only: '1,000 clients wait',
  },
  {
    name: 'signatures that a silent proxy is asked for',
    file: 'src/services/ledger/keys/far-signer.ts',
    on: 'if (!this.isSilent) void this.ask(name, hash);',
    off: 'void this.ask(name, hash);',
    test: 'src/services/ledger/keys/far-signer.test.ts',
    only: 'one signature at a time',
  },
  {
    name: 'signing proxy: calls of a batch',
    file: 'src/services/signer/proxy/envelope.ts',
    on: "if (value.length > BATCH_CALLS_MAX) return { kind: 'tooMany' };",
    off: '',
    test: 'src/services/signer/proxy/pipeline.test.ts',
    only: 'one that is too long are refused',
  },
  {
    name: 'staking: secrets that wait for their check',
    file: 'src/services/staking/token/secrets.ts',
    on: 'if (this.waiting.length >= WAITING_MAX) {',
    off: 'if (this.waiting.length < 0) {',
    test: 'src/services/staking/token/secrets.test.ts',
    only: 'refuses more than it can check',
  },
  {
    name: 'staking: secrets that are checked at a time',
    file: 'src/services/staking/token/secrets.ts',
    on: 'if (this.running >= RUNNING_MAX) {',
    off: 'if (this.running >= 100 * RUNNING_MAX) {',
    test: 'src/services/staking/token/secrets.test.ts',
    only: 'refuses more than it can check',
  },
];
