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
    const { question, askedFor = CONSENSUS } = setting;
    if (!question || !askedFor.includes(consensus)) continue;
    const answer = await askOne(talk, setting);
    if (answer === undefined) return undefined;
    if (answer !== '') argv.push(`--${setting.flag}=${answer}`);
  }
  return argv;
}

/** quorum-genesis-tool's menu, with its numbers. */
const MENU = ['IBFT1', 'IBFT2', 'QBFT', 'Clique', 'RAFT'] as const;
const OF_MENU: Readonly<Record<string, Consensus>> = { ibft1: 'ibft', qbft: 'qbft', raft: 'raft' };

async function askConsensus({ ask, say }: Talk): Promise<Consensus | undefined> {
  const menu = MENU.map((name, at) => `\t${at + 1}. ${name}`).join('\n');
  for (;;) {
    const answer = await ask(`Which consensus algorithm will you use? Default: QBFT\n${menu}`);
    if (answer === undefined) return undefined;
    const wanted = answer.trim().toLowerCase();
    if (wanted === '') return 'qbft';
    const name = (MENU[Number(wanted) - 1] ?? wanted).toLowerCase();
    const found = OF_MENU[name] ?? CONSENSUS.find((one) => one === name);
    if (found) return found;
    const isOther = name === 'ibft2' || name === 'clique';
    const why = isOther ? 'nodes refuse such a chain' : `"${wanted}" is none of them`;
    say(`${why}: answer 1, 3 or 5.`);
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
