import { expect, it } from 'vitest';
import { ArtifactFault, readArtifact } from './artifact.ts';

const ABI = [{ type: 'function', name: 'f', inputs: [], outputs: [], stateMutability: 'view' }];
const read = (value: unknown) => readArtifact(JSON.stringify(value));

it.each([
  ['an ABI', ABI, undefined, undefined],
  ['an artifact of Hardhat', { contractName: 'A', abi: ABI, bytecode: '0x60' }, '0x60', 'A'],
  ['an artifact of Foundry', { abi: ABI, bytecode: { object: '0x6001' } }, '0x6001', undefined],
  ['what solc wrote', { abi: ABI, evm: { bytecode: { object: '6001' } } }, '0x6001', undefined],
  [
    'metadata of Solidity',
    { output: { abi: ABI }, settings: { compilationTarget: { 'A.sol': 'A' } } },
    undefined,
    'A',
  ],
])('reads %s', (_what, file, bytecode, name) => {
  expect(read(file)).toEqual({ abi: ABI, bytecode, name });
});

it.each([
  ['no JSON', '{', 'json'],
  ['another file', '{"a":1}', 'none'],
  ['a number', '1', 'none'],
  ['an item of another kind', '[1]', 'item'],
  ['a parameter without a type', '[{"type":"function","name":"f","inputs":[{}]}]', 'item'],
  ['a function without a name', '[{"type":"function","inputs":[]}]', 'item'],
  [
    'a structure without parts',
    '[{"type":"event","name":"e","inputs":[{"type":"tuple"}]}]',
    'item',
  ],
  ['an unknown type', '[{"type":"function","name":"f","inputs":[{"type":7}]}]', 'item'],
  ['libraries that are not linked', '{"abi":[],"bytecode":"0x60__$ab$__"}', 'links'],
])('reports %s', (_what, text, problem) => {
  const fault = (() => {
    try {
      return readArtifact(text);
    } catch (error) {
      return error;
    }
  })();
  expect(fault).toBeInstanceOf(ArtifactFault);
  expect((fault as ArtifactFault).problem).toBe(problem);
});
