/**
 * One REST operation as data, from which its route, its part of the OpenAPI document and the types
 * of its client are generated. A service adds the handler and the permissions.
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
  /** Parameters are written `{name}`. */
  readonly path: string;
  readonly summary: string;
  /** Whether it is an addition to a documented API: it is then marked x-quorate. */
  readonly isOurs?: boolean;
  /** undefined: the document's security for all operations. */
  readonly security?: readonly object[];
  readonly parameters?: readonly RestParameter[];
  /** Schema by media type. */
  readonly body?: object;
  readonly answers: Readonly<Record<number, RestAnswer>>;
  /** Statuses of errors, which all have the schema `Error`. */
  readonly refusals?: readonly number[];
}

/** The path in the form of the HTTP server: parameters are written `:name`. */
export function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
