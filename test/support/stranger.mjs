// An outsider: a process without any key or file of the network. `stranger.mjs` reads {"urls":[P2P
// URLs],"keys":[base64],"hashes":[base64]} and prints the answers that it got.
import { createHash, randomBytes } from 'node:crypto';

let input = '';
for await (const chunk of process.stdin) input += chunk;
const { urls, keys, hashes } = JSON.parse(input);
const told = [];

const post = async (url, path, body, type = 'application/octet-stream') => {
  const headers = { 'content-type': type, tesseraSupportedApiVersions: 'v1' };
  const answer = await fetch(new URL(path, url), { method: 'POST', headers, body });
  const bytes = Buffer.from(await answer.arrayBuffer());
  told.push({ path, status: answer.status, body: bytes.toString('base64') });
  return bytes;
};
const json = (value) => JSON.stringify(value);
const length = (count) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(count));
  return bytes;
};
const field = (bytes) => Buffer.concat([length(bytes.length), bytes]);
const list = (items) => Buffer.concat([length(items.length), ...items.map(field)]);
const bytesOf = (text) => Buffer.from(text, 'base64');

/** Tessera's format: sender, cipher text, nonce, boxes, nonce, recipients. */
const payload = (sender, cipherText, box, recipient) =>
  Buffer.concat([
    field(sender),
    field(cipherText),
    field(randomBytes(24)),
    list([box]),
    field(randomBytes(24)),
    list([recipient]),
  ]);

/**
 * A payload that a 0.1.0 manager gave away, with a random box in place of its real ones; undefined:
 * it gives nothing.
 */
function withRandomBox(whole, key) {
  const field = (at) => {
    const bytes = at + 8 <= whole.length ? Number(whole.readBigUInt64BE(at)) : -1;
    return { start: at + 8, end: at + 8 + bytes };
  };
  const cipherText = field(field(0).end);
  const content = whole.subarray(cipherText.start, cipherText.end);
  if (createHash('sha3-512').update(content).digest('base64') !== key) return undefined;
  const boxes = field(cipherText.end).end;
  let rest = boxes + 8;
  for (let left = Number(whole.readBigUInt64BE(boxes)); left > 0; left--) rest = field(rest).end;
  return Buffer.concat([whole.subarray(0, boxes), list([randomBytes(48)]), whole.subarray(rest)]);
}

for (const url of urls) {
  for (const publicKey of keys) {
    for (const key of hashes) {
      const individual = json({ type: 'INDIVIDUAL', publicKey, key });
      const whole = await post(url, 'resend', individual, 'application/json');
      const forged = withRandomBox(whole, key);
      for (const target of forged ? urls : []) await post(target, 'push', forged);
    }
    await post(url, 'resend', json({ type: 'ALL', publicKey }), 'application/json');
    await post(url, 'resendBatch', json({ publicKey, batchSize: 10 }), 'application/json');
    const junk = payload(
      randomBytes(32),
      randomBytes(1_000_000),
      randomBytes(48),
      bytesOf(publicKey),
    );
    await post(url, 'push', junk);
    await post(
      url,
      'partyinfo/validate',
      payload(randomBytes(32), randomBytes(60), randomBytes(48), bytesOf(publicKey)),
    );
  }
  for (let i = 0; i < 300; i++) {
    const liar = Buffer.from(`http://127.0.0.1:${1_000 + i}/`);
    const stolen = Buffer.concat([length(1), field(bytesOf(keys[0])), field(liar)]);
    await post(url, 'partyinfo', Buffer.concat([field(liar), stolen, list([liar])]));
  }
  // Uses the names of the real managers, without their keys.
  for (const other of urls) {
    await post(url, 'partyinfo', Buffer.concat([field(Buffer.from(other)), length(0), length(0)]));
  }
}
console.log(JSON.stringify(told));
