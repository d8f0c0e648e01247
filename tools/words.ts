/**
 * Words that this code does not use, and what to write instead: invented names where Ethereum,
 * Raft, OAuth or plain software have one, and phrases that a reader abroad does not understand the
 * first time.
 */

const NAMES = [
  {
    pattern: /\b\w*(?:Desk|Wish|Lane|UnderWay)\b|\b(?:desk|wish|lane)(?!s?\. \*\/)\b/,
    cure: 'queue, request, submitter, reader ...',
  },
  {
    pattern: /\b\w*[a-z](?:Door|Book)(?:s|Parts)?\b/,
    cure: 'intake, index, schedule, check ...',
  },
  { pattern: /\b\w*Facts\b/, cure: 'info, summary, details, fields ...' },
];

const PHRASES = [
  {
    pattern: /\b(?:is|are|was|be) had (?:when|anew|from|at|by)\b|\bcan(?:not|'t| not)? be had\b/,
    cure: 'obtained',
  },
  { pattern: /\bleave --[a-z][-a-z.]* away\b/, cure: 'omit --...' },
  {
    pattern:
      /(?<![Tt]here )\bis no (?:address|number|URL|JSON|key|file|block|hex|scope|time|text|partner|object|integer|digit|list)\b/,
    cure: 'is not a ...',
  },
  { pattern: /\b(?:leaves?|left|leaving) (?:it|them|this|--?[a-z]\S*) away\b/, cure: 'omit' },
  {
    pattern:
      /(?<![Tt]here )\b(?:is|are) no (?:members?|packets?|dumps?|markers?|methods?|query|quorum|peers?|tokens?|terminal|vectors?|party|network|switch|configuration|good)\b/,
    cure: 'is not a ...',
  },
  { pattern: /\banew\b/, cure: 'again; rebuilt, rewritten, restarts' },
  {
    pattern: /\b(?:for ever|passed over|stands? still|at the least)\b/,
    cure: 'forever, ignored, stalls, at least',
  },
  { pattern: /\bwhat comes of\b|\bcomes? to nothing\b/, cure: 'the outcome of, fails' },
  {
    pattern: /\b(?:at the latest|of its own accord|no room left|has room left)\b/,
    cure: 'by, by itself, no space left',
  },
  { pattern: /\b(?:a (?:password|line|key)|one) a line\b/, cure: 'one per line' },
  { pattern: /\bnever set back or forth\b|\bwhat comes in\b/, cure: 'monotonic, input' },
  { pattern: /\bas (?:it|they) stood\b|\bstands? at a foreign\b/, cure: 'unchanged, misplaced' },
  {
    pattern: /\bgo(?:es)? on at once\b|\bis told (?:with|so|as|by)\b/,
    cure: 'continues, is reported',
  },
  {
    pattern: /\bis not as it was written\b|\bparty to nothing\b|\ba line each\b/,
    cure: 'unexpected, without private transactions, one per line',
  },
  { pattern: /\b(?:by|for|of|to) who (?:asks|sends|is|was)\b/, cure: 'the caller, the sender' },
  {
    pattern: /\bever new\b|\bstood still\b|\bin vain\b/,
    cure: 'a new one each time, stalled, no effect',
  },
  { pattern: /\btells? of\b|\b(?:is|are) told of\b/, cure: 'reports, describes; receives' },
  { pattern: /\b(?:is|are|was|were) looked (?:at|through)\b/, cure: 'is checked, reviewed' },
  {
    pattern: /\b(?:transactions|blocks|payloads|calls|requests|quotes) a second\b/,
    cure: '... per second',
  },
  {
    pattern: /\bas (?:it stands|they stand)\b|\bis of no order\b/,
    cure: 'as written, belongs to no',
  },
  {
    pattern: /\b(?:answers?|ends?|begun) otherwise than\b|\bcomes? whole\b/,
    cure: 'differs, complete',
  },
  { pattern: /\b(?:[Hh]e|[Hh]is|[Hh]im|[Hh]imself|[Ss]he|[Hh]ers?)\b/, cure: 'they, their, them' },
];

/** One line per fault: `path:line: "words": cure`. */
export function wordFaults(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    [...NAMES, ...PHRASES].flatMap(({ pattern, cure }) => {
      const words = pattern.exec(line)?.[0];
      return words === undefined ? [] : [`${path}:${index + 1}: "${words.trim()}": say ${cure}`];
    }),
  );
}
