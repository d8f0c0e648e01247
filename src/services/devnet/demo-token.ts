/**
 * The devnet's token: deployed once, by the CREATE2 deployer, so that its address is known before
 * the network runs.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { encodeAbi } from '../../core/base/abi.ts';
import { concatBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { keccak256 } from '../../core/base/keccak.ts';
import { RpcClient } from '../../io/ledger-client/rpc-client.ts';
import { DEMO_TOKEN_CODE } from './demo-token-code.ts';
import { READY_PATIENCE_MS } from './ready.ts';
import { CREATE2_DEPLOYER } from './well-known-contracts.ts';

export const DEMO_TOKEN = { id: 'dusd', decimals: 6 } as const;
/** A billion. */
const SUPPLY = 10n ** 15n;
const SALT = new Uint8Array(32);
const CREATE2_MARK = fromHex('ff');
const GAS = '0x16e360';
const LOOK_MS = 200;

/** In lower case. At first `owner` has the whole supply. */
export function demoTokenAddress(owner: string): string {
  const deployer = fromHex(CREATE2_DEPLOYER.address);
  const hash = keccak256(concatBytes(CREATE2_MARK, deployer, SALT, keccak256(creation(owner))));
  return toHex(hash.subarray(12));
}

/**
 * Deploys the token unless it exists. `from`: an account that the node has unlocked. Rejects with
 * LEDGER_…, DEVNET_NOT_READY.
 */
export async function deployDemoToken(url: string, from: string, owner: string): Promise<void> {
  const rpc = new RpcClient(url);
  try {
    const address = demoTokenAddress(owner);
    const isThere = async () => (await rpc.call('eth_getCode', [address, 'latest'])) !== '0x';
    if (await isThere()) return;
    const data = toHex(concatBytes(SALT, creation(owner)));
    await rpc.call('eth_sendTransaction', [{ from, to: CREATE2_DEPLOYER.address, data, gas: GAS }]);
    const deadline = performance.now() + READY_PATIENCE_MS;
    while (!(await isThere())) {
      if (performance.now() > deadline) {
        throw fail('DEVNET_NOT_READY', 'the demo token did not come into a block: see node1.log');
      }
      await pause(LOOK_MS);
    }
  } finally {
    rpc.close();
  }
}

function creation(owner: string): Uint8Array {
  return concatBytes(fromHex(DEMO_TOKEN_CODE), encodeAbi([fromHex(owner), SUPPLY]));
}
