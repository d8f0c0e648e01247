/**
 * Recorded extension flows: every list, status and refusal, on the recorded chain at the height of
 * each step.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromBase64 } from '../../../core/base/base64.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';

interface Step {
  readonly step: number;
  readonly note: string;
  readonly node: string;
  readonly request: { readonly method: string; readonly params: readonly unknown[] };
  readonly error?: { readonly code: number; readonly message: string };
  readonly active?: Record<string, readonly Record<string, string>[]>;
  readonly status?: Record<string, string | { readonly error: { readonly message: string } }>;
  readonly block?: number;
}

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const STEPS: readonly Step[] = JSON.parse(
  readFileSync(join(RECORDING, 'private/extension-flows.json'), 'utf8'),
);
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'))
  .filter(({ number }) => number > 0)
  .map(({ rlp }) => decodeBlock(fromHex(rlp)));
const NODES = ['node1', 'node2', 'node3', 'node4'];
/** A step that the manager refused, with its own text; there is no manager here. */
const MANAGERS_STEP = 16;
/**
 * A step whose following vote was signed outside the node: its list is that of the step's own
 * block.
 */
const EXTERNAL_STEP = 38;

const nodes = new Map<string, Promise<RpcNode>>();
afterAll(async () => {
  for (const node of nodes.values()) await (await node).close();
});

async function nodeAt(name: string, height: number): Promise<RpcNode> {
  const node = await (nodes.get(name) ?? start(name));
  for (let next = node.node.chain.head().number + 1; next <= height; next++)
    await node.node.chain.commit(BLOCKS[next - 1]!, 'group');
  await until(() => node.node.follower!.cursor() >= height, 'private state follows');
  return node;
}

function start(name: string): Promise<RpcNode> {
  const made = (async () => {
    const keys = readJson(join(RECORDING, 'keys.json')).nodes.find(
      (each: { name: string }) => each.name === name,
    );
    const node = await rpcNode({
      genesis: genesisOf(RECORDING),
      secretKey: fromHex(keys.nodeKey),
      manager: await recordedManager(RECORDING, name),
    });
    const account = await node.accounts.importKey(fromHex(keys.accountKey), 'test');
    await node.accounts.unlock(account, 'test', 0);
    return node;
  })();
  nodes.set(name, made);
  return made;
}

/** Head of the chain when the step was finished: just before the next step's transaction. */
function heightAfter({ step, block }: Step): number {
  if (step === EXTERNAL_STEP) return block!;
  const next = STEPS.find((each) => each.step > step && each.block !== undefined);
  return next ? next.block! - 1 : BLOCKS.length;
}

function textOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: Error & { code: number }) => ({
    code: error.code,
    message: error.message,
  }));
}

const ledgerName = (method: string) => method.replace('quorum', 'ledger');

describe('recorded extension flows', () => {
  for (const step of STEPS) {
    it(`${step.step}: ${step.note}`, async () => {
      const height = heightAfter(step);
      const { request, error, active, status } = step;
      if (error && step.step !== MANAGERS_STEP) {
        const node = await nodeAt(step.node, height);
        expect(await textOf(node.call(request.method, ...request.params))).toEqual(error);
        const text = LEDGER_TEXTS[step.step] ?? error.message;
        const isParams = error.code === -32602;
        expect(await textOf(node.call(ledgerName(request.method), ...request.params))).toEqual({
          code: error.code,
          message: isParams ? text : `Error: ${text}`,
        });
      }
      for (const name of NODES) {
        const node = await nodeAt(name, height);
        if (active) await expectActive(node, active[name]!);
        if (status) await expectStatus(node, status[name]!, contractOf(step));
      }
    });
  }
});

/**
 * Texts of the steps for which `ledgerExtension_*` and `quorumExtension_*` have different rules.
 */
const LEDGER_TEXTS: Readonly<Record<number, string>> = {
  21: 'account is not acceptor of this extension request',
};

async function expectActive(node: RpcNode, wanted: readonly Record<string, string>[]) {
  expect(await node.call('quorumExtension_activeExtensionContracts')).toEqual(wanted);
  expect(await node.call('ledgerExtension_activeExtensionContracts')).toEqual(
    wanted.map((each) => ({
      ...each,
      creationData: toHex(fromBase64(each.creationData!)),
    })),
  );
}

async function expectStatus(
  node: RpcNode,
  wanted: string | { readonly error: { readonly message: string } },
  contract: string,
) {
  const got = await textOf(node.call('quorumExtension_getExtensionStatus', contract));
  expect(typeof wanted === 'string' ? got : (got as Error).message).toEqual(
    typeof wanted === 'string' ? wanted : wanted.error.message,
  );
}

/** The management contract of a step. */
function contractOf(step: Step): string {
  const made = Object.values(step.active ?? {}).flat()[0]?.managementContractAddress;
  const named = step.request.params[0];
  if (step.request.method.endsWith('extendContract')) return made!;
  return typeof named === 'string' ? named : contractOf(STEPS[EXTERNAL_STEP - 1]!);
}
