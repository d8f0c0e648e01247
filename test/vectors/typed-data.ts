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

/** The domain's members, in the order of EIP-712. */
const DOMAIN_TYPES = [
  ['name', 'string'],
  ['version', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
  ['salt', 'bytes32'],
] as const;

/**
 * The domain's type: ethers' cases omit it, and its `TypedDataEncoder.getPayload` derives it from
 * the domain's members.
 */
function withDomainType(types: object, domain: object): object {
  if (Object.hasOwn(types, 'EIP712Domain')) return types;
  const members = DOMAIN_TYPES.filter(([name]) => Object.hasOwn(domain, name));
  return { ...types, EIP712Domain: members.map(([name, type]) => ({ name, type })) };
}

export const typedData: VectorKind = {
  name: 'typed-data',
  find: (root) => filesBelow(root, (path) => FILES.test(path)),
  run: (path, report) => {
    const content = readJson(path);
    const cases = Array.isArray(content)
      ? content.map((each): Case => {
          const types = withDomainType(each.types, each.domain);
          return { ...each, data: { ...each, types, message: each.data } };
        })
      : [{ name: 'example', digest: content.signHash, data: content.typedData }];
    for (const { name, digest, data } of cases) {
      const ours = toHex(typedDataHash(data));
      if (ours === digest) report.pass(name);
      else report.fail(name, `digest ${ours}, wanted ${digest}`);
    }
  },
};
