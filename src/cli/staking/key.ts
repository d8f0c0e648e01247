/** `quorate staking key` and `quorate staking audit`: token signing keys, and the audit trail. */

import { keyConfig, storeSource } from '../../services/staking/config.ts';
import { STAKING_ROWS, STORE_ROWS } from '../../services/staking/options.ts';
import { readSecret } from '../../services/staking/store/open.ts';
import { rotationOf } from '../../services/staking/token/rotation.ts';
import type { Command } from '../command.ts';
import { unknown, withAdmin } from './admin.ts';

const MINUTE_MS = 60_000;
const ROTATION_FLAGS: readonly string[] = [
  ...['auth.algorithm', 'auth.token-seconds', 'auth.tolerance'],
];

export const stakingKeyCommand: Command = {
  name: 'staking key',
  about:
    'Creates a new token signing key: published at once, used after ten minutes; old keys stay published until their last token expires.',
  operands: 'rotate',
  operandsMax: 1,
  examples: [
    { does: 'rotate', line: 'quorate staking key rotate' },
    {
      does: 'after a leak: all earlier tokens become invalid',
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
      about: 'Sign with it at once: clients with a cached key set must fetch it again',
      group: 'Tokens',
    },
    {
      flag: 'revoke-old',
      type: 'boolean',
      default: false,
      about: 'Revoke the old keys and all their tokens at once, and sign with the new one',
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
    'Prints who changed what: clients, secrets, signing keys, revoked tokens. The exit status is 1 if an entry was tampered with.',
  examples: [{ does: 'all of it', line: 'quorate staking audit' }],
  fileRows: STAKING_ROWS,
  rows: STORE_ROWS,
  async run(options) {
    let isWhole = true;
    await withAdmin({ options }, async (admin) => {
      const trail = await admin.audit();
      isWhole = trail.isWhole;
      for (const { number, at, actor, action, subject, detail } of trail.rows) {
        const fields = JSON.stringify(detail);
        console.log(
          [number, new Date(at).toISOString(), actor, action, subject, fields].join('  '),
        );
      }
    });
    if (!isWhole) console.error('The trail is broken: an entry was changed, added or removed.');
    return isWhole ? 0 : 1;
  },
};
