/** Where the key of the node is. */
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import { fromHex } from '../../../core/base/hex.ts';
import type { FarKeyAccess } from '../../../io/keys/far-node-key.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

export interface NodeKeyConfig {
  readonly hex: string | undefined;
  readonly file: string | undefined;
  /** The signing proxy that has the key. */
  readonly proxy: FarKeyAccess | undefined;
}

/** Throws OPTION_VALUE_INVALID and OPTION_CONFLICT. */
export function nodeKeyConfig(options: ParsedOptions): NodeKeyConfig {
  const hex = options.string('nodekeyhex');
  const given = options.string('nodekey');
  if (given === undefined || !/^https?:\/\//i.test(given))
    return { hex, file: given, proxy: undefined };
  if (options.boolean('dev'))
    throw fail('OPTION_CONFLICT', '--dev signs blocks at once: its node key cannot be at a proxy');
  const clientCert = options.string('nodekey.tls.clientcert');
  const clientKey = options.string('nodekey.tls.clientkey');
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw fail(
      'OPTION_CONFLICT',
      '--nodekey.tls.clientcert and --nodekey.tls.clientkey must be given together',
    );
  const proxy = {
    ...placeOf(given),
    tokenFile: options.string('nodekey.token-file'),
    rootCa: options.string('nodekey.tls.rootca'),
    ...{ clientCert, clientKey },
  };
  return { hex, file: undefined, proxy };
}

/** The fragment of the URL names the key, if the proxy has several. */
function placeOf(text: string): Pick<FarKeyAccess, 'url' | 'address'> {
  if (!URL.canParse(text)) throw invalid(`"${text}" is not a URL`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw invalid('the URL must contain no password: use --nodekey.token-file');
  const fragment = url.hash.slice(1);
  url.hash = '';
  if (fragment === '') return { url: url.href, address: undefined };
  if (!/^0x[0-9a-f]{40}$/i.test(fragment))
    throw invalid(`"#${fragment}" must be the address of the key, #0x and 40 hex digits`);
  return { url: url.href, address: fromHex(fragment.toLowerCase()) };
}

function invalid(why: string): QuorateError {
  return fail('OPTION_VALUE_INVALID', `--nodekey: ${why}`);
}
