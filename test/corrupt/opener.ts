/**
 * A process of its own that opens a damaged folder and reads everything in it, since damage may
 * crash it. Takes one folder at a time.
 */
import { QuorateError } from '../../src/core/base/errors.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import type { Opened } from './subject.ts';
import { SUBJECTS } from './subjects/index.ts';

await installCrypto();
process.on('message', async ({ name, place }: { name: string; place: string }) => {
  const subject = SUBJECTS.find((each) => each.name === name)!;
  const told: string[] = [];
  let opened: Opened;
  try {
    opened = { content: await subject.open(place, (message) => told.push(message)), told };
  } catch (error) {
    if (!(error instanceof QuorateError)) throw error;
    opened = { refusal: { code: error.code, message: error.message }, told };
  }
  process.send!(opened);
});
