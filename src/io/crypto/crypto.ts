/**
 * Installs the fastest primitives that work on this machine behind core's interfaces, after a
 * self-test with fixed vectors.
 */
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { createRIPEMD160 } from 'hash-wasm';
import {
  BLAKE2F_INPUT_BYTES,
  type Blake2,
  blake2Rounds,
  installBlake2,
} from '../../core/base/blake2f.ts';
import { installBn254 } from '../../core/base/bn254.ts';
import { EMPTY_BYTES } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { bareHex, fromHex } from '../../core/base/hex.ts';
import { installKeccak256 } from '../../core/base/keccak.ts';
import { installKzg } from '../../core/base/kzg.ts';
import { installModularPower } from '../../core/base/modular-power.ts';
import type { Log } from '../../core/base/ports.ts';
import { installRipemd160, ripemd160 } from '../../core/base/ripemd160.ts';
import { installSecp256k1, type Secp256k1, uncompressed } from '../../core/base/secp256k1.ts';
import { installSha256, sha256 } from '../../core/base/sha256.ts';
import { blake2InWasm } from './blake2-wasm.ts';
import { bn254InWasm } from './bn254-wasm.ts';
import { KeccakState, keccak256InWasm, keccak256InWasmInto } from './keccak-wasm.ts';
import { kzgInWasm } from './kzg-wasm.ts';
import { modularPower } from './modular-power.ts';

const SELF_TEST = {
  secretKey: fromHex('0x4646464646464646464646464646464646464646464646464646464646464646'),
  hash: fromHex('0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53'),
  // The example of EIP-155.
  signature:
    '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276' +
    '67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  ripemd160: '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc',
  blake2State: fromHex(
    '0x48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5' +
      'd182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b',
  ),
  blake2:
    'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1' +
    '7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
};
const SLOW_SECP256K1 =
  'There is no compiled secp256k1 for this machine: signatures are made and checked in ' +
  'WebAssembly, which takes about three times as long. docs/install.md says how to compile it';
const ABC = Uint8Array.of(0x61, 0x62, 0x63);

let installed: { secp256k1: string } | undefined;

/**
 * Idempotent. Returns the implementation in use. Programs whose speed depends on it pass `log`,
 * which warns about the slow implementation.
 */
export async function installCrypto(log: Log = () => {}): Promise<{ secp256k1: string }> {
  installed ??= await install();
  if (installed.secp256k1 === 'wasm') log('warn', SLOW_SECP256K1);
  return installed;
}

async function install(): Promise<{ secp256k1: string }> {
  await installHashes();
  const candidate = native() ?? (await inWasm());
  const { signature, recovery } = candidate.sign(SELF_TEST.hash, SELF_TEST.secretKey);
  const publicKey = candidate.publicKey(SELF_TEST.secretKey);
  const recovered = candidate.recover(SELF_TEST.hash, signature, recovery);
  if (
    bareHex(signature) !== SELF_TEST.signature ||
    !recovered ||
    bareHex(recovered) !== bareHex(publicKey)
  ) {
    throw fail(
      'CRYPTO_SELF_TEST_FAILED',
      `the secp256k1 implementation "${candidate.name}" fails its self-test`,
    );
  }
  installSecp256k1(candidate);
  return { secp256k1: candidate.name };
}

async function installHashes(): Promise<void> {
  installKeccak256(keccak256InWasm, {
    into: keccak256InWasmInto,
    state: () => new KeccakState(EMPTY_BYTES),
  });
  installSha256((bytes) => new Uint8Array(hash('sha256', bytes, 'buffer')));
  installBlake2(testedBlake2);
  installBn254(bn254InWasm);
  installKzg(kzgInWasm);
  installModularPower(modularPower);
  const ripemd = await createRIPEMD160();
  installRipemd160((bytes) => ripemd.init().update(bytes).digest('binary'));
  requireEqual('SHA-256', sha256(ABC), SELF_TEST.sha256);
  requireEqual('RIPEMD-160', ripemd160(ABC), SELF_TEST.ripemd160);
}

function testedBlake2(): Blake2 {
  const blake2 = blake2InWasm();
  const input = blake2OfAbc();
  requireEqual('BLAKE2b', blake2.compress(input, blake2Rounds(input)), SELF_TEST.blake2);
  return blake2;
}

/** EIP-152, test vector 5: F for the only block of BLAKE2b("abc"). */
function blake2OfAbc(): Uint8Array {
  const input = new Uint8Array(BLAKE2F_INPUT_BYTES);
  input[3] = 12;
  input.set(SELF_TEST.blake2State, 4);
  input.set(ABC, 68);
  input[196] = ABC.length;
  input[BLAKE2F_INPUT_BYTES - 1] = 1;
  return input;
}

function requireEqual(name: string, found: Uint8Array, expected: string): void {
  if (bareHex(found) === expected) return;
  throw fail('CRYPTO_SELF_TEST_FAILED', `the ${name} implementation fails its self-test`);
}

interface NativeBinding {
  ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(
    signature: Uint8Array,
    recovery: number,
    hash: Uint8Array,
    compressed: boolean,
  ): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyVerify(key: Uint8Array): boolean;
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyTweakMul(key: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
}

/**
 * The C library, loaded through the binding entry of npm `secp256k1`: the main entry may choose
 * slow JavaScript silently.
 */
function native(): Secp256k1 | undefined {
  let binding: NativeBinding;
  try {
    binding = createRequire(import.meta.url)('secp256k1/bindings.js') as NativeBinding;
  } catch {
    return undefined;
  }
  return {
    name: 'native',
    sign(hash, secretKey) {
      const { signature, recid } = binding.ecdsaSign(hash, secretKey);
      return { signature, recovery: recid as 0 | 1 };
    },
    recover(hash, signature, recovery) {
      try {
        return binding.ecdsaRecover(signature, recovery, hash, false).subarray(1);
      } catch {
        return undefined;
      }
    },
    publicKey: (secretKey) => binding.publicKeyCreate(secretKey, false).subarray(1),
    isSecretKey: (key) => key.length === 32 && binding.privateKeyVerify(key),
    isPublicKey: (key) => key.length === 64 && binding.publicKeyVerify(uncompressed(key)),
    sharedX: (secretKey, publicKey) =>
      binding.publicKeyTweakMul(uncompressed(publicKey), secretKey, false).subarray(1, 33),
  };
}

/** Loaded on first use, because it is large. */
async function inWasm(): Promise<Secp256k1> {
  const { secp256k1InWasm } = await import('./secp256k1-wasm.ts');
  return secp256k1InWasm();
}
