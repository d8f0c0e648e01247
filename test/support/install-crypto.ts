import { installCrypto } from '../../src/io/crypto/crypto.ts';

await installCrypto();
