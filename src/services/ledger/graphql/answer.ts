/**
 * Executes the query in a request's body and writes the answer as JSON (GoQuorum
 * graphql/service.go).
 */
import {
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { hasCode, QuorateError } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { BlockNode } from './block.ts';
import type { GraphqlSource, QueryContext } from './context.ts';
import { checkDocument, TOKENS_MAX } from './document-limits.ts';
import { Root } from './query.ts';
import { QueryRoom } from './query-room.ts';
import { SCHEMA } from './schema.ts';

/** Maximum number of errors in one answer. */
const ERRORS_MAX = 20;

export interface GraphqlAnswer {
  readonly hasErrors: boolean;
  /** JSON; or one line of text for an invalid request. */
  readonly body: string;
}

interface Request {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: { readonly [name: string]: unknown };
}

/** Never throws because of an invalid request. */
export function answerQuery(body: string, source: GraphqlSource, log: Log): GraphqlAnswer {
  const request = readRequest(body);
  if (typeof request === 'string') return { hasErrors: true, body: `${request}\n` };
  const limits = source.callLimits();
  const isGivenUp = () => limits.shouldStop?.() ?? false;
  const context: QueryContext = {
    ...source,
    limits,
    isGivenUp,
    room: new QueryRoom(limits),
    blockNode: (block) => new BlockNode(context, block),
  };
  try {
    return carryOut(request, context, log);
  } catch (error) {
    return failed([error as Error], log);
  }
}

/** The query in the body, or its error, with the texts of Go. */
function readRequest(body: string): Request | string {
  if (body.trim() === '') return 'EOF';
  let given: { [name: string]: unknown } | null;
  try {
    given = JSON.parse(body);
  } catch (error) {
    const { message } = error as Error;
    return /end of JSON|Unterminated|Expected/.test(message) ? 'unexpected EOF' : message;
  }
  if (given === null || typeof given !== 'object')
    return 'the body is not an object with a "query"';
  const { query = '', operationName, variables } = given;
  if (typeof query !== 'string') return '"query" is not a string';
  if (typeof (operationName ?? '') !== 'string') return '"operationName" is not a string';
  if (typeof (variables ?? {}) !== 'object') return '"variables" is not an object';
  return {
    query,
    operationName: (operationName ?? undefined) as string | undefined,
    variables: (variables ?? {}) as Request['variables'],
  };
}

/** Throws GraphQLError for invalid text, and GRAPHQL_TOO_LARGE. */
function carryOut(request: Request, context: QueryContext, log: Log): GraphqlAnswer {
  const document = parse(request.query, { maxTokens: TOKENS_MAX });
  const options = { maxErrors: ERRORS_MAX, hideSuggestions: true };
  const faults = validate(SCHEMA, document, specifiedRules, options);
  if (faults.length > 0) return failed(faults, log);
  checkDocument(document);
  const result = execute({
    schema: SCHEMA,
    document,
    rootValue: new Root(context),
    contextValue: context,
    variableValues: request.variables,
    operationName: request.operationName,
    fieldResolver: resolveField,
    hideSuggestions: true,
  });
  if (result instanceof Promise) throw new TypeError('a field of GraphQL is answered later');
  const { data, errors = [] } = result;
  const { over } = context.room;
  if (over) return failed([over], log);
  if (errors.length > 0) return failed(errors, log, data);
  return { hasErrors: false, body: JSON.stringify({ data }) };
}

const resolveField: GraphQLFieldResolver<{ readonly [name: string]: unknown }, QueryContext> = (
  source,
  args,
  context,
  { fieldName },
) => {
  context.room.take(1);
  const member = source[fieldName];
  try {
    const value = typeof member === 'function' ? member.call(source, args) : member;
    if (value instanceof Uint8Array) context.room.takeBytes(2 * value.length);
    return value;
  } catch (error) {
    // Ends a search early when the time is up; the whole query then ends too.
    context.room.take(0);
    // Waits for the private state, unless it is already there.
    if (hasCode(error, 'PRIVATE_STATE_BEHIND')) context.isPrivateDone(context.view.head().number);
    throw error;
  }
};

function failed(errors: readonly Error[], log: Log, data?: unknown): GraphqlAnswer {
  const told = errors.slice(0, ERRORS_MAX).map((error) => render(error, log));
  return { hasErrors: true, body: JSON.stringify({ errors: told, data }) };
}

/** COMPAT: errors of execution are reported by path, all others by position in the text. */
function render(error: Error, log: Log) {
  if (!(error instanceof GraphQLError)) return { message: textOf(error, log) };
  const { originalError, path, locations } = error;
  const message = originalError ? textOf(originalError, log) : error.message;
  return path ? { message, path } : { message, locations };
}

/** Internal errors are logged; the caller learns only that there was one. */
function textOf(error: Error, log: Log): string {
  if (error instanceof QuorateError && error.code !== 'INVARIANT_BROKEN') return error.message;
  if (error instanceof GraphQLError) return error.message;
  if (error instanceof RangeError) return 'the query is too large';
  log('error', 'A GraphQL query failed', { err: error.message, stack: error.stack });
  return 'internal error';
}
