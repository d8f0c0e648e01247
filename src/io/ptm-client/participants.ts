/** The parties of payloads: asked together with other requests if the manager accepts that. */
import { fail } from '../../core/base/errors.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import type { Courier, CourierAnswer } from './courier.ts';
import { rawQuery } from './messages.ts';
import { plainRefusal } from './refusals.ts';

const PATH = '/transaction/participants';
const MEDIA = 'application/json';

/** `alone` gives the answer to a request of its own: keys, with commas between them. */
export async function participantsOf(
  hash: PayloadHash,
  alone: () => Promise<string>,
  courier: Courier | undefined,
): Promise<readonly string[]> {
  if (!courier) return (await alone()).split(',');
  const single = async (): Promise<CourierAnswer> => ({
    status: 200,
    body: { participants: (await alone()).split(',') },
  });
  const { status, body } = await courier.ask({
    path: PATH,
    media: MEDIA,
    body: rawQuery(hash),
    alone: single,
  });
  if (status !== 200) throw plainRefusal({ status }, 'Non');
  const { participants } = body ?? {};
  if (Array.isArray(participants)) return participants.map(String);
  throw fail('PTM_ANSWER_INVALID', 'the private transaction manager answers without participants');
}
