/** Comments are at most 100 columns wide: `npm run format` wraps those that are not. */

const COLUMNS_MAX = 100;
/** TypeScript written by people; generated code is not wrapped. */
const CHECKED = /^(?:src|test|tools|bench)\/(?!.*\bservices\/permission\/code\/).*\.tsx?$/;

export function hasWidth(file: string): boolean {
  return CHECKED.test(file);
}

/** Lists, tables, tags and drawings keep their lines. */
const OWN_LINE = /^(?:[-*|@]|\d+\. |\s{2}|$)/;
const BLOCK = /^([ \t]*)\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?=[ \t]*$)/gm;

/** Lines of comments that are too wide and can be wrapped, counted from 1. */
export function wideComments(text: string): number[] {
  const wrapped = new Set(wrapComments(text).split('\n'));
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.length > COLUMNS_MAX && isComment(line) && !wrapped.has(line) ? [index + 1] : [],
    );
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\*\*|\*|\/\/)/.test(line);
}

/** The text with its wide comments wrapped; everything else stays as it is. */
export function wrapComments(text: string): string {
  const blocks = text.replace(BLOCK, (block, indent: string) =>
    isWide(block.split('\n')) ? wrapBlock(block, indent) : block,
  );
  return wrapRuns(blocks.split('\n')).join('\n');
}

function isWide(lines: readonly string[]): boolean {
  return lines.some((line) => line.length > COLUMNS_MAX);
}

function wrapBlock(block: string, indent: string): string {
  const body = block.slice(indent.length + 3, -2).split('\n');
  const lines = body.map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  const width = COLUMNS_MAX - indent.length - 3;
  const wrapped = paragraphs(
    trimEmpty(lines.map((line, i) => (i === 0 ? line.trim() : line))),
    width,
  );
  const [only] = wrapped;
  if (wrapped.length === 1 && indent.length + only!.length + 7 <= COLUMNS_MAX) {
    return `${indent}/** ${only} */`;
  }
  const inside = wrapped.map((line) => (line === '' ? `${indent} *` : `${indent} * ${line}`));
  return [`${indent}/**`, ...inside, `${indent} */`].join('\n');
}

function trimEmpty(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(first, last + 1);
}

function paragraphs(lines: readonly string[], width: number): string[] {
  const done: string[] = [];
  let open: string[] = [];
  let isCode = false;
  const close = () => {
    done.push(...fill(open.join(' '), width));
    open = [];
  };
  for (const line of lines) {
    const isFence = line.trim().startsWith('```');
    if (isFence) isCode = !isCode;
    if (!isCode && !isFence && !OWN_LINE.test(line)) {
      open.push(line.trim());
      continue;
    }
    close();
    done.push(line);
  }
  close();
  return done;
}

function fill(text: string, width: number): string[] {
  if (text === '') return [];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Wraps runs of lines that begin with `//`. */
function wrapRuns(lines: readonly string[]): string[] {
  const done: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const indent = /^(\s*)\/\/ /.exec(lines[at]!)?.[1];
    let end = at;
    while (indent !== undefined && lines[end]?.startsWith(`${indent}// `)) end++;
    const run = lines.slice(at, Math.max(end, at + 1));
    at += run.length;
    const isKept =
      indent === undefined || !isWide(run) || run.some((line) => /biome-|---/.test(line));
    if (isKept) {
      done.push(...run);
      continue;
    }
    const words = run.map((line) => line.trim().slice(3)).join(' ');
    const wrapped = fill(words, COLUMNS_MAX - indent.length - 3);
    done.push(...wrapped.map((line) => `${indent}// ${line}`));
  }
  return done;
}
