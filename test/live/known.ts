/**
 * Intended differences: those that the vector runner knows for our nodes, and those where the
 * recording's manager, a stand-in, was not Tessera.
 */
import { KnownDifferences } from '../vectors/rpc-compare.ts';

interface ManagerText {
  readonly recorded: string;
  readonly ours: string;
  readonly reason: string;
}

const MANAGER_TEXTS: readonly ManagerText[] = [
  {
    recorded: '400 status: One or more mandatory recipients',
    ours: '403 status: One or more mandatory recipients',
    reason: 'Tessera answers 403 to a privacy violation',
  },
  {
    recorded: '404 status: Recipient not found for key: ###',
    ours: '400 status: ',
    reason: 'text that is not base64 is refused before it is looked up',
  },
  {
    recorded: '500 status: No private key found for public key',
    ours: '404 status: Public key ',
    reason: "Tessera's text and status for a sender whose key it does not have",
  },
];

/** Steps that succeed at our nodes, and why they failed when they were recorded. */
const FIXED_STEPS: Readonly<Record<string, string>> = {
  '097-input-field': 'a payload in `input` becomes its hash, as one in `data` does',
};

const rows = new KnownDifferences();

/** `method`: the method called; `isOurs`: the answer is from one of our nodes. */
export function isMeant(
  method: string,
  recorded: unknown,
  live: unknown,
  isOurs: boolean,
): boolean {
  const [expected, answer] = [envelope(recorded), envelope(live)];
  const isManagers = MANAGER_TEXTS.some(
    (row) => expected.includes(row.recorded) && answer.includes(row.ours),
  );
  return isManagers || (isOurs && rows.explain(method, expected, answer) !== undefined);
}

/** Whether what follows from the step differs from the recording on purpose. */
export function isFixed(step: string, isOurs: boolean): boolean {
  return isOurs && step in FIXED_STEPS;
}

function envelope(answer: unknown): string {
  const isError = typeof answer === 'object' && answer !== null && 'error' in answer;
  return JSON.stringify(isError ? answer : { result: answer });
}
