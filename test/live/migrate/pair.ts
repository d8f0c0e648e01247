/**
 * The old and the new node of one member, side by side: GoQuorum runs on a copy of the folder,
 * Quorate on what was migrated from it with all states, and both use the same manager. A contract
 * extension begins before the migration and ends after both its parties have migrated; the second
 * party keeps only its newest states.
 */
import { until } from '../../support/conditions.ts';
import { headOf } from '../../support/devnet.ts';
import type { Rpc } from '../../support/rpc-client.ts';
import { STORE_CODE, setInput, VALUE_INPUT, word } from '../../support/store-contract.ts';
import { complaints } from '../mixed/comparer.ts';
import { reach } from '../mixed/progress.ts';
import { Traffic } from '../mixed/traffic.ts';
import type { Member, Network } from './members.ts';
import { goOver, leave, withNetwork } from './scenario.ts';

const SAMPLES = 10_000;
const GROWTH_BLOCKS = 40;
const GAS = '0x2fefd8';
const VALUE = 42;
/** Standard private, party protection, mandatory recipients, private state validation. */
const FLAGS = [0, 1, 2, 3] as const;

export interface PairResult {
  readonly compared: string;
  readonly findings: readonly string[];
}

export function playPair(reference: string, say: (line: string) => void): Promise<PairResult> {
  const kind = { engine: 'qbft', permissions: 'none', reference, isMarking: true } as const;
  return withNetwork(kind, say, async (network) => {
    const [one, two, three] = network.members as [Member, Member, Member];
    const traffic = new Traffic(network.members.map(({ running }) => running!));
    traffic.start();
    for (const flag of FLAGS) await contract(one, [two], flag);
    // Sent in a privacy marker.
    await contract(two, [one], 0);
    const extended = await contract(one, [two], 0);
    const manager = await extend(one, three, extended);
    await reach([one.running!], GROWTH_BLOCKS);
    await traffic.settle();
    await goOver(network, one, say, { isExecuted: true });
    const copy = await network.startCopy(one);
    const output = await compared(network, copy.url, one.running!.url);
    await copy.stop();
    await goOver(network, three, say);
    await approve(three, one, manager);
    const { rpc } = three.running!;
    await until('the new party has the contract', async () => {
      const answer = await rpc.call('eth_call', { to: extended, data: VALUE_INPUT }, 'latest');
      return answer === word(VALUE);
    });
    await until('the extension has ended', async () => {
      const lists = await Promise.all([one, three].map(({ running }) => active(running!.rpc)));
      return lists.every((list) => list.length === 0);
    });
    say(`  the extension that member 1 began as GoQuorum ended at block ${await headOf(rpc)}`);
    await leave(one);
    const differences = output.split('\n').filter((line) => /DIFF| {2}(old|new):/.test(line));
    const findings = [...differences, ...complaints(network.logs())];
    for (const line of output.split('\n')) say(`  ${line}`);
    return { compared: output.split('\n')[0]!, findings };
  });
}

function compared(network: Network, old: string, now: string): Promise<string> {
  return network
    .quorate('migrate', 'compare', old, now, '--samples', String(SAMPLES))
    .catch(({ stdout }: { stdout: string }) => stdout);
}

function active(rpc: Rpc): Promise<{ readonly managementContractAddress: string }[]> {
  return rpc.call('quorumExtension_activeExtensionContracts');
}

/** Deploys a contract that holds a value. Resolves with its address. */
async function contract(owner: Member, others: readonly Member[], flag: number): Promise<string> {
  const terms = termsOf(owner, others, flag);
  const created = await mined(owner, { ...terms, data: STORE_CODE });
  const to = created.contractAddress!;
  await mined(owner, { ...terms, to, data: setInput(VALUE) });
  return to;
}

/** Starts an extension. Resolves with the address of its management contract. */
async function extend(from: Member, to: Member, toExtend: string): Promise<string> {
  const { rpc } = from.running!;
  const call = [toExtend, to.managerKey.publicKey, to.account, termsOf(from, [to], 0)];
  await rpc.call('quorumExtension_extendContract', ...call);
  const [found] = await until('the extension is there', async () => {
    const list = await active(rpc);
    return list.length > 0 ? list : undefined;
  });
  return found!.managementContractAddress;
}

async function approve(party: Member, owner: Member, manager: string): Promise<void> {
  const { rpc } = party.running!;
  await until('the new party sees the extension', async () => (await active(rpc)).length > 0);
  await rpc.call('quorumExtension_approveExtension', manager, true, termsOf(party, [owner], 0));
}

function termsOf({ account }: Member, others: readonly Member[], privacyFlag: number) {
  const privateFor = others.map(({ managerKey }) => managerKey.publicKey);
  return {
    ...{ from: account, gas: GAS, gasPrice: '0x0', privateFor, privacyFlag },
    ...(privacyFlag === 2 ? { mandatoryFor: privateFor } : {}),
  };
}

interface Receipt {
  readonly status: string;
  readonly contractAddress: string | null;
  readonly isPrivacyMarkerTransaction?: boolean;
}

async function mined({ running }: Member, what: object): Promise<Receipt> {
  const { rpc } = running!;
  const hash = await rpc.call('eth_sendTransaction', what);
  const receipt = await until(
    'a private transaction is mined',
    async () => (await rpc.call<Receipt | null>('eth_getTransactionReceipt', hash)) ?? undefined,
  );
  const { isPrivacyMarkerTransaction: isMarker } = receipt;
  const own = isMarker
    ? await rpc.call<Receipt>('eth_getPrivateTransactionReceipt', hash)
    : receipt;
  if (own.status !== '0x1') throw new Error(`${hash} failed`);
  return own;
}
