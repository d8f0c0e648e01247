/** `plugin@account_*`: new accounts in HashiCorp Vault (GoQuorum plugin/account/creator.go). */
import { checksumAddress } from '../../../core/base/checksum-address.ts';
import { fail } from '../../../core/base/errors.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { type Param, ParamError } from '../../../io/rpc/method.ts';
import type { NewPluginAccount, PluginAccount, PluginAccounts } from '../node/sending/accounts.ts';
import { readNewPluginAccount } from '../node/sending/new-plugin-account.ts';
import { type Context, method } from './context.ts';
import { OBJECT } from './results.ts';
import { named, text } from './shapes.ts';

/** As in the plugin: `{secretName, overwriteProtection: {currentVersion, insecureDisable}}`. */
const newAccount: Param<NewPluginAccount> = {
  name: 'config',
  schema: { type: 'object' },
  isOptional: false,
  parse(value) {
    const wanted = readNewPluginAccount(value);
    if (typeof wanted === 'string') throw new ParamError(wanted);
    return wanted;
  },
};

function vaultOf({ wallet }: Context): PluginAccounts {
  if (wallet.vault) return wallet.vault;
  throw fail('PLUGIN_UNKNOWN', 'no account plugin is configured: --plugins names its settings');
}

/** The account in Go's JSON format. */
function render({ address, url }: PluginAccount) {
  return { address: checksumAddress(address).toLowerCase(), url };
}

export const pluginAccountMethods = [
  method('plugin@account_newAccount', {
    params: [newAccount],
    result: OBJECT,
    access: 'send',
    about: 'Creates an account in HashiCorp Vault, as `--plugins` configures it.',
    call: async (context, [wanted]) => render(await vaultOf(context).create(wanted)),
  }),
  method('plugin@account_importRawKey', {
    params: [named('key', text), newAccount],
    result: OBJECT,
    access: 'send',
    about: 'Stores a key, 64 hex digits, in HashiCorp Vault.',
    call: async (context, [digits, wanted]) => {
      if (!/^(0x)?[0-9a-f]{64}$/i.test(digits))
        throw fail('KEY_INVALID', 'invalid length, need 256 bits');
      return render(await vaultOf(context).importKey(fromHex(digits.toLowerCase()), wanted));
    },
  }),
];
