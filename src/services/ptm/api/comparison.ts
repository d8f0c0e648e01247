/**
 * Comparison between Quorate managers. P2P: `/shared`, `/roots` and `/digests`, for peers that
 * prove the key. Q2T: `/comparison`, where a node reports its private state and gets the findings;
 * `/comparison/run` compares at once.
 */

import { keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { digestToJson, statesIn, statesToJson } from '../../../core/privacy/private-roots.ts';
import { json, type Route } from '../../../io/http/server.ts';
import type { Comparison } from '../manager/comparison.ts';
import { unproven } from '../manager/resend.ts';
import { PREFIX_DIGITS_MAX, type SharedPayloads } from '../manager/shared-payloads.ts';
import type { SourceBudget } from '../manager/source-budget.ts';
import { type P2pParts, QUESTION_BYTES_MAX } from './p2p-parts.ts';
import { challenged, proves, requiredKey } from './p2p-proven.ts';
import { base64 } from './replies.ts';
import { bad, type Fields, jsonBody } from './requests.ts';

/** Most bytes of a node's report: roots and digests of all its private states. */
const REPORT_BYTES_MAX = 1024 * 1024;

export interface ComparisonParts {
  readonly comparison: Comparison;
  readonly shared: SharedPayloads;
  /** Limits questions per key: each reads part of the store. */
  readonly questions: SourceBudget;
}

export function comparedRoutes(
  { comparison, shared, questions }: ComparisonParts,
  parts: P2pParts,
): Route[] {
  const route = (
    path: string,
    about: string,
    answer: (key: Uint8Array, fields: Fields) => Promise<object>,
  ): Route => ({
    method: 'POST',
    path,
    about,
    bodyBytesMax: QUESTION_BYTES_MAX,
    handle(request) {
      const fields = jsonBody(request);
      const key = requiredKey(fields);
      const asked = { key, path, request };
      return challenged(asked, parts, async () => {
        if (!proves(asked, parts)) throw unproven();
        if (!questions.take(keyOf(key))) {
          throw fail('PTM_TOO_MANY', 'too many questions for this key: try again later');
        }
        return json(200, await answer(key, fields));
      });
    },
  });
  return [
    route('/shared', 'Hashes of payloads that both keys are parties of', async (key, fields) => {
      const hashes = await shared.listFor(key, prefixOf(fields));
      return { hashes: hashes?.map(base64) ?? 'tooMany' };
    }),
    route('/roots', 'Roots of private states that both keys take part in', async (key) =>
      statesToJson(await comparison.statesFor(key)),
    ),
    route('/digests', 'Digests of what contracts of both keys hold', async (key) => ({
      digests: comparison.digestsFor(key).map(({ parties: _, ...told }) => digestToJson(told)),
    })),
  ];
}

function prefixOf({ prefix }: Fields): string {
  if (typeof prefix === 'string' && /^[0-9a-f]*$/.test(prefix)) {
    if (prefix.length <= PREFIX_DIGITS_MAX) return prefix;
  }
  throw bad(`"prefix" must be at most ${PREFIX_DIGITS_MAX} hex digits`);
}

/** Routes for the manager's own node. */
export function comparisonRoutes(comparison: Comparison): Route[] {
  const outcome = (isComplete: boolean) => {
    const { arrivals, missing, differing } = comparison.outcome;
    const named = missing.map(({ hash, peer }) => ({ hash: base64(hash), peer }));
    const differ = differing.map(({ payload, ...rest }) => ({
      ...rest,
      ...(payload ? { payload: base64(payload) } : {}),
    }));
    return json(200, { arrivals, missing: named, differing: differ, isComplete });
  };
  return [
    {
      method: 'POST',
      path: '/comparison',
      about: 'What a node holds of its private state, to be compared with peers',
      bodyBytesMax: REPORT_BYTES_MAX,
      handle(request) {
        comparison.note(statesIn(jsonBody(request)));
        return outcome(true);
      },
    },
    {
      method: 'POST',
      path: '/comparison/run',
      about: 'Compares with the peers now',
      bodyBytesMax: REPORT_BYTES_MAX,
      async handle(request) {
        comparison.note(statesIn(jsonBody(request)));
        return outcome(await comparison.run());
      },
    },
  ];
}
