/** `personal_*`: keys of this node, with passwords. */
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { recoverAddress } from '../../../core/base/secp256k1.ts';
import { listedAccounts } from '../node/sending/accounts.ts';
import { method } from './context.ts';
import { personalMessageHash, renderSigned, withLegacyV } from './eth/send.ts';
import { ADDRESS, arrayOf, BOOL, DATA, HASH, OBJECT } from './results.ts';
import { address, data, named, number, optional, text } from './shapes.ts';
import { sendArgs } from './transaction-args.ts';

const UNLOCK_SECONDS_DEFAULT = 300;
const UNLOCK_SECONDS_MAX = 9_223_372_036;
const password = named('password', text);

export const personalMethods = [
  method('personal_listAccounts', {
    params: [],
    result: arrayOf(ADDRESS),
    access: 'send',
    about: 'Accounts that this node signs for.',
    call: async ({ wallet }) => (await listedAccounts(wallet)).map(toHex),
  }),
  method('personal_newAccount', {
    params: [password],
    result: ADDRESS,
    access: 'send',
    about: 'Creates a key and stores it with the password.',
    call: async ({ wallet }, [secret]) => toHex(await wallet.create(secret)),
  }),
  method('personal_importRawKey', {
    params: [named('key', text), password],
    result: ADDRESS,
    access: 'send',
    about: 'Stores a key, 64 hex digits, with the password.',
    call: async ({ wallet }, [digits, secret]) => {
      if (!/^(0x)?[0-9a-f]{64}$/i.test(digits))
        throw fail('KEY_INVALID', 'invalid length, need 256 bits');
      return toHex(await wallet.importKey(fromHex(digits), secret));
    },
  }),
  method('personal_unlockAccount', {
    params: [address, password, optional(named('seconds', number), UNLOCK_SECONDS_DEFAULT)],
    result: BOOL,
    access: 'send',
    about: 'Unlocks an account for some seconds (default 300), or until the node stops (0).',
    call: async ({ wallet }, [who, secret, seconds]) => {
      if (!wallet.addresses().some((own) => equalBytes(own, who)))
        throw fail('ACCOUNT_UNKNOWN', 'unknown wallet');
      if (seconds > UNLOCK_SECONDS_MAX) throw fail('UNLOCK_DURATION', 'unlock duration too large');
      await wallet.unlock(who, secret, seconds);
      return true;
    },
  }),
  method('personal_lockAccount', {
    params: [address],
    result: BOOL,
    access: 'send',
    about: 'Locks an account.',
    call: ({ wallet }, [who]) => {
      wallet.lock(who);
      return true;
    },
  }),
  method(['personal_sendTransaction', 'personal_signAndSendTransaction'], {
    params: [sendArgs, password],
    result: HASH,
    access: 'send',
    about: 'Signs with the password and sends.',
    call: async ({ submitter }, [args, secret]) => toHex(await submitter.send(args, secret)),
  }),
  method('personal_signTransaction', {
    params: [sendArgs, password],
    result: OBJECT,
    access: 'send',
    about: 'Signs with the password without sending.',
    call: async ({ submitter }, [args, secret]) =>
      renderSigned(await submitter.signTransaction(args, secret)),
  }),
  method('personal_sign', {
    params: [data, address, password],
    result: DATA,
    access: 'send',
    about: 'Signs a message (EIP-191) with the password.',
    call: async ({ wallet }, [message, who, secret]) =>
      toHex(withLegacyV(await wallet.signWithPassword(who, personalMessageHash(message), secret))),
  }),
  method('personal_ecRecover', {
    params: [data, data],
    result: ADDRESS,
    about: 'Address that signed a message (EIP-191).',
    call: (_, [message, signature]) => {
      if (signature.length !== 65)
        throw fail('SIGNATURE_INVALID', 'signature must be 65 bytes long');
      const v = signature[64]!;
      if (v !== 27 && v !== 28)
        throw fail('SIGNATURE_INVALID', 'invalid Ethereum signature (V is not 27 or 28)');
      const compact = signature.slice();
      compact[64] = v - 27;
      const signer = recoverAddress(personalMessageHash(message), compact);
      if (!signer) throw fail('SIGNATURE_INVALID', 'recovery failed');
      return toHex(signer);
    },
  }),
];
