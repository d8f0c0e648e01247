import { installCrypto } from '../../src/io/host/crypto.ts';

await installCrypto();
