/** Sends private transactions as scripts do, and reads what a node sees of them. */
import { encodeRlp, SigningKey, Transaction, toBeHex, Wallet } from 'ethers';
import { type TestDevnet, untilMined } from './devnet.ts';
import { STORE_CODE, setInput, VALUE_INPUT } from './store-contract.ts';

const GAS = 0x47b760;
const PRIVATE_V = 37;

/** `parties` are node indexes, 0 to 3; node `at` sends. Resolves with the hash. */
export function sendPrivate(
  net: TestDevnet,
  fields: { to?: string | null; data: string; nonce?: string },
  parties: readonly number[],
  at = 0,
): Promise<string> {
  const privateFor = parties.map((party) => net.keys[party]);
  const from = net.accounts[0]!.address;
  const gas = toBeHex(GAS);
  return net.rpc[at]!.call('eth_sendTransaction', { from, gas, ...fields, privateFor });
}

/** Deploys a Store that node 1 and `parties` share. Resolves with its address. */
export async function deployPrivate(net: TestDevnet, parties: readonly number[]): Promise<string> {
  const hash = await sendPrivate(net, { data: STORE_CODE }, parties);
  return (await untilMined(net.rpc[0]!, hash)).contractAddress!;
}

/** Resolves with the hash. */
export function setPrivate(
  net: TestDevnet,
  to: string,
  value: number,
  parties: readonly number[],
): Promise<string> {
  return sendPrivate(net, { to, data: setInput(value) }, parties);
}

/** `value()` on node `at`; 0x where there is no contract. */
export function readStore(net: TestDevnet, at: number, to: string): Promise<string> {
  return net.rpc[at]!.call('eth_call', { to, data: VALUE_INPUT }, 'latest');
}

/** Stores the payload at the manager's third-party API. Resolves with its hash, hex. */
export async function storeRaw(net: TestDevnet, at: number, payload: string): Promise<string> {
  const response = await fetch(`${net.devnet.description.nodes[at]!.ptm.thirdParty}/storeraw`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload: Buffer.from(payload.slice(2), 'hex').toString('base64') }),
  });
  const { key } = (await response.json()) as { key: string };
  return `0x${Buffer.from(key, 'base64').toString('hex')}`;
}

/**
 * Encrypts a payload for a manager's own key only, as hex of its JSON. `payload`: hex without 0x.
 * `from` undefined: the manager's first key.
 */
export async function sealEnvelope(
  q2tUrl: string,
  payload: string,
  from?: string,
): Promise<string> {
  const response = await fetch(`${q2tUrl}/encodedpayload/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      payload: Buffer.from(payload, 'hex').toString('base64'),
      from,
      to: [],
      affectedContractTransactions: [],
      privacyFlag: 0,
    }),
  });
  return `0x${Buffer.from(await response.text()).toString('hex')}`;
}

/** Signs as private transactions are signed: without chain id, v 37 or 38. */
export function signPrivate(
  privateKey: string,
  fields: { nonce: number; to: string | null; data: string; gasPrice?: bigint },
): string {
  const unsigned = Transaction.from({ type: 0, gasPrice: 0n, gasLimit: GAS, ...fields });
  const { r, s, yParity } = new SigningKey(new Wallet(privateKey).privateKey).sign(
    unsigned.unsignedHash,
  );
  const quantity = (value: bigint | number | string) => {
    const number = BigInt(value);
    return number === 0n ? '0x' : toBeHex(number);
  };
  return encodeRlp([
    quantity(fields.nonce),
    quantity(fields.gasPrice ?? 0n),
    quantity(GAS),
    fields.to ?? '0x',
    '0x',
    fields.data,
    quantity(PRIVATE_V + yParity),
    quantity(r),
    quantity(s),
  ]);
}
