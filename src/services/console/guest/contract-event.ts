/** One event of a contract: `contract.name(indexed, options, callback)` watches it. */
import {
  type AbiParameter,
  decodeParameters,
  encodeParameters,
  fullName,
  typeNames,
} from './abi.ts';
import type { Contract } from './contract.ts';
import { type AbiEntry, type ContractParts, hexOfText } from './contract-abi.ts';
import { Filter } from './filter.ts';
import type { Fields, Formatter, Formatters } from './formatters.ts';
import { takeCallback } from './method.ts';
import type { Callback } from './requests.ts';
import { shown } from './signatures.ts';

interface Log extends Fields {
  data?: string;
  topics?: string[];
}

/** A topic contains the value of a static type, but only the hash of any other. */
const isHashed = ({ type }: AbiParameter): boolean =>
  type === 'string' || type === 'bytes' || type.endsWith(']') || type.startsWith('tuple');

export class ContractEvent {
  private readonly parts: ContractParts;
  private readonly entry: AbiEntry;
  private readonly address: string;

  constructor(parts: ContractParts, entry: AbiEntry, address: string) {
    this.parts = parts;
    this.entry = entry;
    this.address = address;
  }

  attachTo(contract: Contract): void {
    const { name = '', inputs = [] } = this.entry;
    const execute = shown((...args: unknown[]) => {
      const callback = takeCallback(args);
      return this.watch(args[0] as Fields | undefined, args[1] as Fields | undefined, callback);
    });
    contract[name] ??= execute;
    (contract[name] as unknown as Fields)[typeNames(inputs)] = execute;
  }

  get topic(): string {
    const { name = '', inputs = [] } = this.entry;
    return `0x${this.parts.keccak(hexOfText(fullName(name, inputs)))}`;
  }

  readonly decode: Formatter = (value) => {
    const log = value as Log;
    const { inputs = [], anonymous, name } = this.entry;
    const topics = anonymous ? [...(log.topics ?? [])] : (log.topics ?? []).slice(1);
    const plain = inputs.filter(({ indexed }) => !indexed);
    const values = decodeParameters(plain, (log.data ?? '').slice(2));
    const args: Fields = {};
    for (const input of inputs) {
      const found = input.indexed ? topicValue(input, topics.shift()) : values.shift();
      args[input.name ?? ''] = found;
    }
    const result = this.parts.formatters.outputLogFormatter(log) as Log;
    Object.assign(result, { event: name, args });
    delete result.data;
    delete result.topics;
    return result;
  };

  private watch(indexed: Fields = {}, options: Fields | null = {}, callback?: Callback): Filter {
    const { inputs = [], anonymous } = this.entry;
    const topics = inputs
      .filter((input) => input.indexed)
      .map((input) => {
        const value = indexed?.[input.name ?? ''];
        if (value === undefined || value === null) return null;
        const topicOf = (each: unknown): string => `0x${encodeParameters([input], [each])}`;
        return Array.isArray(value) ? value.map(topicOf) : topicOf(value);
      });
    const asked = {
      ...blocksOf(options, this.parts.formatters),
      topics: anonymous ? topics : [this.topic, ...topics],
      address: this.address,
    };
    return new Filter(this.parts, asked, this.decode, callback);
  }
}

function topicValue(input: AbiParameter, topic: string | undefined): unknown {
  if (topic === undefined || isHashed(input)) return topic;
  return decodeParameters([input], topic.slice(2))[0];
}

function blocksOf(options: Fields | null | undefined, formatters: Formatters): Fields {
  const names = ['fromBlock', 'toBlock'].filter((name) => options?.[name] !== undefined);
  return Object.fromEntries(
    names.map((name) => [name, formatters.inputBlockNumberFormatter(options![name])]),
  );
}

/** Watches all events of a contract; a log that belongs to none of them is returned unchanged. */
export function allEvents(
  parts: ContractParts,
  events: readonly ContractEvent[],
  address: string,
  options: Fields | undefined,
  callback: Callback | undefined,
): Filter {
  const decode: Formatter = (value) => {
    const log = value as Log;
    const event = events.find(({ topic }) => topic === log.topics?.[0]);
    if (event) return event.decode(log);
    parts.warn('cannot find event for log');
    return log;
  };
  return new Filter(parts, { ...blocksOf(options, parts.formatters), address }, decode, callback);
}
