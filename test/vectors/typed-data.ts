/** Hashes of typed data (EIP-712): cases of ethers and geth, and the example of the proposal. */
import { toHex } from '../../src/core/base/hex.ts';
import { typedDataHash } from '../../src/core/base/typed-data.ts';
import { filesBelow, readJson } from './folders.ts';
import type { VectorKind } from './kind.ts';

const FILES = /\/public\/(ethers\/eip712\.json\.gz|transactions\/eip712-[a-z-]+\.json)$/;

interface Case {
  readonly name: string;
  readonly digest: string;
  readonly data: unknown;
}

export const typedData: VectorKind = {
  name: 'typed-data',
  find: (root) => filesBelow(root, (path) => FILES.test(path)),
  run: (path, report) => {
    const content = readJson(path);
    const cases = Array.isArray(content)
      ? content.map((each): Case => ({ ...each, data: { ...each, message: each.data } }))
      : [{ name: 'example', digest: content.signHash, data: content.typedData }];
    for (const { name, digest, data } of cases) {
      const ours = toHex(typedDataHash(data));
      if (ours === digest) report.pass(name);
      else report.fail(name, `digest ${ours}, wanted ${digest}`);
    }
  },
};
