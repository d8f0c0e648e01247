/** `quorate staking key` and `quorate staking audit`: the keys that sign tokens, and who changed what. */

import { keyConfig, storeSource } from '../services/staking/config.ts';
import { STAKING_ROWS, STORE_ROWS } from '../services/staking/options.ts';
import { readSecret } from '../services/staking/store/open.ts';
import { rotationOf } from '../services/staking/token/rotation.ts';
import type { Command } from './command.ts';
import { unknown, withAdmin } from './staking-admin.ts';

const MINUTE_MS = 60_000;
const ROTATION_FLAGS: readonly string[] = [
  ...['auth.algorithm', 'auth.token-seconds', 'auth.tolerance'],
];

export const stakingKeyCommand: Command = {
  name: 'staking key',
  about:
    'Makes a new key that signs tokens: published at once, in use ten minutes later, the old ones published until their last token ends.',
  operands: 'rotate',
  operandsMax: 1,
  examples: [
    { does: 'rotate', line: 'quorate staking key rotate' },
    {
      does: 'after a leak: nothing that was signed so far is worth anything',
      line: 'quorate staking key rotate --revoke-old',
    },
  ],
  fileRows: STAKING_ROWS,
  rows: [
    ...STORE_ROWS,
    ...STAKING_ROWS.filter(({ flag }) => ROTATION_FLAGS.includes(flag)),
    {
      flag: 'now',
      type: 'boolean',
      default: false,
      about: 'Sign with it at once: who has fetched the key set before fetches it again',
      group: 'Tokens',
    },
    {
      flag: 'revoke-old',
      type: 'boolean',
      default: false,
      about: 'Withdraw the old keys and all their tokens at once, and sign with the new one',
      group: 'Tokens',
    },
  ],
  async run(options) {
    if (options.positional[0] !== 'rotate') {
      throw unknown('quorate staking key rotate');
    }
    const rotation = rotationOf(keyConfig(options));
    return withAdmin({ options }, async (admin) => {
      const seal = readSecret(storeSource(options))('signing keys');
      const revokesOld = options.boolean('revoke-old');
      const isNow = options.boolean('now') || revokesOld;
      const plan = { ...rotation, revokesOld, ...(isNow ? { leadMs: 0 } : {}) };
      const kid = await admin.rotateSigningKey(seal, plan);
      const when = isNow ? 'now' : `in ${rotation.leadMs / MINUTE_MS} minutes`;
      console.log(`signing key ${kid}: published now, signs ${when}`);
    });
  },
};

export const stakingAuditCommand: Command = {
  name: 'staking audit',
  about:
    'Prints who changed what: clients, secrets, signing keys, revoked tokens. Exit status 1 when an entry was tampered with.',
  examples: [{ does: 'all of it', line: 'quorate staking audit' }],
  fileRows: STAKING_ROWS,
  rows: STORE_ROWS,
  async run(options) {
    let isWhole = true;
    await withAdmin({ options }, async (admin) => {
      const trail = await admin.audit();
      isWhole = trail.isWhole;
      for (const { number, at, actor, action, subject, detail } of trail.rows) {
        const facts = JSON.stringify(detail);
        console.log([number, new Date(at).toISOString(), actor, action, subject, facts].join('  '));
      }
    });
    if (!isWhole) console.error('The trail is broken: an entry was changed, added or taken out.');
    return isWhole ? 0 : 1;
  },
};
