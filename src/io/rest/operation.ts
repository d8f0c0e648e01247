/**
 * One REST operation as a row: its route, its part of the OpenAPI document and the types of its
 * client are generated from it. A service adds its handler, and who may call it.
 */

export interface RestParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: object;
  readonly about?: string;
}

export interface RestAnswer {
  readonly about: string;
  /** Schema by media type. */
  readonly content: object;
}

export interface RestOperation {
  readonly id?: string;
  readonly method: 'GET' | 'POST';
  /** `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** An addition to a documented API: marked x-quorate. */
  readonly isOurs?: boolean;
  /** Undefined: as the document says for all. */
  readonly security?: readonly object[];
  readonly parameters?: readonly RestParameter[];
  /** Schema by media type. */
  readonly body?: object;
  readonly answers: Readonly<Record<number, RestAnswer>>;
  /** Statuses of errors, which all have the schema `Error`. */
  readonly refusals?: readonly number[];
}

/** The path as the HTTP server expects it: `:name` for parameters. */
export function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
