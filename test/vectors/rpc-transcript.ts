/**
 * Recorded JSON-RPC conversations (`*.io`): `>>` is a request, `<<` an answer, `//` a comment or
 * HTTP details.
 */

export interface HttpRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Exchange {
  readonly request: string;
  /** undefined: no answer. */
  readonly reply: string | undefined;
  readonly http: HttpRequest | undefined;
  readonly response: HttpResponse | undefined;
}

export interface Transcript {
  /** `rpc/eth_call/plain.io`. */
  readonly file: string;
  /**
   * `replay`: a node with the imported chain gives the same answer. `shape`: only error texts and
   * the structure are compared.
   */
  readonly kind: 'replay' | 'shape';
  /** The node in `asked at nodeN`. */
  readonly node: string;
  readonly exchanges: readonly Exchange[];
}

export function parseTranscript(file: string, text: string): Transcript {
  const exchanges: { -readonly [K in keyof Exchange]: Exchange[K] }[] = [];
  let http: HttpRequest | undefined;
  let response: HttpResponse | undefined;
  // Recordings about private states name the request's query only there.
  const query = /^\/\/ PSI in \{.*\} (\/\?\S+)$/m.exec(text)?.[1];
  for (const line of text.split('\n')) {
    const request = /^\/\/ HTTP request: (\S+) (\S+) ?(.*)$/.exec(line);
    const answer = /^\/\/ HTTP response: (\d+) ?(.*)$/.exec(line);
    if (request) {
      http = {
        verb: request[1]!,
        path: query ?? request[2]!,
        headers: JSON.parse(request[3] || '{}'),
      };
    } else if (answer) {
      response = { status: Number(answer[1]), headers: JSON.parse(answer[2] || '{}') };
    } else if (line.startsWith('>>')) {
      exchanges.push({ request: line.slice(3), reply: undefined, http, response: undefined });
    } else if (line.startsWith('<<')) {
      const last = exchanges.at(-1);
      if (last === undefined) throw new Error(`${file}: an answer before any request`);
      last.reply ??= line.slice(3);
      last.response ??= response;
    }
  }
  const node = /(?:\(asked|the same) at (node\d)|\/(node\d)-[^/]*$/.exec(`${text}/${file}`);
  return {
    file,
    kind: /^\/\/ kind: shape/m.test(text) ? 'shape' : 'replay',
    node: node?.[1] ?? node?.[2] ?? 'node1',
    exchanges,
  };
}

/** The method that a transcript is about; undefined for batches and malformed requests. */
export function methodOf({ request }: Exchange): string | undefined {
  try {
    const { method } = JSON.parse(request);
    return typeof method === 'string' ? method : undefined;
  } catch {
    return undefined;
  }
}
