/** Asks for every setting in turn; repeats a question when the answer is invalid. */
import type { Consensus, Setting } from './options.ts';
import { CONSENSUS, SETTINGS } from './options.ts';

export interface Talk {
  /** Resolves with a line; undefined: end of input. */
  ask(prompt: string): Promise<string | undefined>;
  say(text: string): void;
}

/** Resolves with the answers as flags of the command; undefined: the input ended too early. */
export async function askAll(talk: Talk): Promise<string[] | undefined> {
  const consensus = await askConsensus(talk);
  if (consensus === undefined) return undefined;
  const argv = ['--consensus', consensus];
  for (const setting of SETTINGS) {
    if (!setting.question || (setting.isBft && consensus === 'raft')) continue;
    const answer = await askOne(talk, setting);
    if (answer === undefined) return undefined;
    if (answer !== '') argv.push(`--${setting.flag}=${answer}`);
  }
  return argv;
}

async function askConsensus({ ask, say }: Talk): Promise<Consensus | undefined> {
  const menu = CONSENSUS.map((name, at) => `\t${at + 1}. ${name.toUpperCase()}`).join('\n');
  for (;;) {
    const answer = await ask(`Which consensus algorithm will you use? Default: QBFT\n${menu}`);
    if (answer === undefined) return undefined;
    const wanted = answer.trim().toLowerCase();
    if (wanted === '') return 'qbft';
    const found = CONSENSUS.find((name, at) => wanted === name || wanted === String(at + 1));
    if (found) return found;
    say(`"${wanted}" is none of them: answer 1 to ${CONSENSUS.length}.`);
  }
}

/** Resolves with '' for the default. */
async function askOne({ ask, say }: Talk, setting: Setting): Promise<string | undefined> {
  for (;;) {
    const answer = (await ask(setting.question!))?.trim();
    if (answer === undefined || answer === '') return answer;
    const understood = understand(setting, answer);
    if (understood !== undefined) return understood;
    say(COMPLAINT[setting.type]);
  }
}

const COMPLAINT = {
  integer: 'Enter a whole number, or nothing for the default.',
  boolean: 'Enter y or n, or nothing for the default.',
  string: 'Enter a text, or nothing for the default.',
};

function understand({ type }: Setting, answer: string): string | undefined {
  if (type === 'integer') return /^\d{1,15}$/.test(answer) ? answer : undefined;
  if (type === 'string') return answer;
  if (/^y(es)?$/i.test(answer)) return 'true';
  return /^no?$/i.test(answer) ? 'false' : undefined;
}
