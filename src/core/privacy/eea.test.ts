import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromBase64, toBase64 } from '../base/base64.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { decodeEea, partyGroup } from './eea.ts';

it('x', () => {
  const v = JSON.parse(
    readFileSync('/work/shared/vectors/public/besu/privacy/legacy-privacy-group-id.json', 'utf8'),
  );
  for (const c of v.cases) expect(toBase64(partyGroup(c.members.map(fromBase64)))).toBe(c.groupId);
  const e = JSON.parse(
    readFileSync('/work/shared/vectors/public/besu/privacy/eea-private-transactions.json', 'utf8'),
  );
  const t = decodeEea(fromHex(e.valid_signed_private_transaction_rlp.rlp));
  console.log(toHex(t.sender), t.chainId);
  console.log(
    decodeEea(
      fromHex(
        '0xf8b2078083015f9094627306090abab3a6e1400e9345bc60c78a8bef5780821234820a95a05bf3a05085e247f70aec010c947a43ed0d8bb13f9a2b2da6623b55e4abf55f31a0698583944f016eb7935c867cccdf04c75be0c2496e1902b4c0bb6a5d7a47d3f1a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486ae1a02a8d9b56a0fe9cd94d60be4413bcb721d3a7be27ed8e28b3a6346df874ee141b8a72657374726963746564',
      ),
    ),
  );
  console.log(
    decodeEea(
      fromHex(
        '0xf89d078083015f908080821234820a96a0d75f20ec0c707bdfae5c0f8cdb1a7174f4f5bb8dd3f088f446d20627d033ca3ca0552679ce1693485a360f1db2fff8f65636064241837c3e36b288bddd1cd62ec3a0035695b4cc4b0941e60551d7a19cf30603db5bfc23e5ac43a56f57f25f75486aa00f200e885ff29e973e2576b6600181d1b0a2b5294e30d9be4a1981ffb33a0b8c8a72657374726963746564',
      ),
    ),
  );
  try {
    console.log(decodeEea(fromHex(e.valid_private_transaction_rlp.rlp)).value);
  } catch (x) {
    console.log(x);
  }
});
