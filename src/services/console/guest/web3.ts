/** The objects web3 and Web3 of the console, with the interface of web3 0.20. */
import type { Addresses, Keccak } from './address.ts';
import { Batch } from './batch.ts';
import { type AbiEntry, type ContractParts, type EthCalls, hexOfText } from './contract-abi.ts';
import { ContractFactory } from './contract-factory.ts';
import { Filter } from './filter.ts';
import { type Defaults, type Formatters, formattersOf } from './formatters.ts';
import { Iban } from './iban.ts';
import { type Holder, Method, Property } from './method.ts';
import { ethNamespace, type Namespace, netNamespace, personalNamespace } from './namespaces.ts';
import { BigNumber, fromDecimal, toBigNumber, toDecimal } from './number.ts';
import { type Callback, type Provider, RequestManager, type SetTimer } from './requests.ts';
import { shown } from './signatures.ts';
import { Syncing } from './syncing.ts';
import { fromAscii, fromUtf8, padLeft, padRight, toAscii, toHex, toUtf8 } from './text.ts';
import { fromWei, toWei } from './units.ts';

const API_VERSION = '0.20.1';

export interface World {
  readonly keccak: Keccak;
  readonly addresses: Addresses;
  readonly setTimer: SetTimer;
  readonly clearTimer: (id: unknown) => void;
  readonly write: (text: string) => void;
}

export interface Web3 extends Holder {
  readonly _requestManager: RequestManager;
  readonly _extend: Extend;
  currentProvider: Provider;
}

export interface Extension {
  readonly property?: string;
  readonly methods?: Namespace['methods'];
  readonly properties?: Namespace['properties'];
}

export interface Extend {
  (extension: Extension): void;
  readonly formatters: Formatters;
}

/** Makes the class Web3, for `new Web3(provider)`. */
export function web3Of(world: World): new (provider: Provider) => Web3 {
  const Web3 = function Web3(this: Web3, provider: Provider) {
    const requests = new RequestManager(provider, world.setTimer, world.clearTimer);
    const defaults: Defaults = { defaultBlock: 'latest', defaultAccount: undefined };
    const formatters = formattersOf(world.addresses, defaults);
    const parts = { requests, formatters, keccak: world.keccak, warn: world.write };
    Object.defineProperty(this, '_requestManager', { value: requests });
    this.currentProvider = provider;
    this.settings = defaults;
    this.version = { api: API_VERSION };
    this.eth = ethOf(parts, defaults);
    this.net = attached({}, netNamespace(), requests);
    this.personal = attached({}, personalNamespace(formatters), requests);
    const extend: Extend = Object.assign(
      shown(({ property, methods = [], properties = [] }: Extension) => {
        if (property !== undefined) this[property] ??= {};
        const object = property === undefined ? this : (this[property] as Holder);
        attached(object, { methods, properties }, requests);
      }, 'extension'),
      { formatters, utils: utilsOf(world), Method, Property },
    );
    Object.defineProperty(this, '_extend', { value: extend });
    extend({
      properties: [
        new Property({ name: 'version.node', getter: 'web3_clientVersion' }),
        new Property({ name: 'version.network', getter: 'net_version' }),
        new Property({ name: 'version.ethereum', getter: 'eth_protocolVersion' }),
      ],
    });
    Object.assign(this, utilsOf(world), controlsOf(this, requests));
  };
  return shown(Web3, 'provider') as unknown as new (
    provider: Provider,
  ) => Web3;
}

function attached(object: Holder, { methods, properties }: Namespace, requests: RequestManager) {
  for (const each of [...methods, ...properties]) {
    each.setRequestManager(requests);
    each.attachToObject(object);
  }
  return object;
}

function ethOf(parts: ContractParts, defaults: Defaults): Holder {
  const { requests, formatters } = parts;
  const eth = attached({}, ethNamespace(formatters), requests) as EthCalls;
  for (const name of ['defaultBlock', 'defaultAccount'] as const) {
    Object.defineProperty(eth, name, {
      get: () => defaults[name],
      set(value) {
        defaults[name] = value;
      },
      enumerable: true,
    });
  }
  const { outputLogFormatter } = formatters;
  Object.assign(eth, {
    contract: shown((abi: readonly AbiEntry[]) => new ContractFactory(eth, abi, parts), 'abi'),
    filter: shown(
      (options: unknown, callback?: Callback, onFailure?: Callback) =>
        new Filter(parts, options, shown(outputLogFormatter, 'log'), callback, onFailure),
      'options, callback, filterCreationErrorCallback',
    ),
    isSyncing: shown((callback: Callback) => new Syncing(parts, callback), 'callback'),
    iban: shown(Iban, 'iban'),
    sendIBANTransaction: shown((from: unknown, to: string, value: unknown, callback?: Callback) => {
      const iban = new Iban(to);
      if (!iban.isValid()) throw new Error('invalid iban address');
      if (!iban.isDirect()) throw new Error('an indirect iban has no address of its own');
      const sent = { from, to: `0x${iban.address()}`, value };
      return eth.sendTransaction(sent, ...(callback ? [callback] : []));
    }),
  });
  return eth;
}

function controlsOf(web3: Web3, requests: RequestManager): Holder {
  return {
    setProvider: shown((provider: Provider) => {
      requests.setProvider(provider);
      web3.currentProvider = provider;
    }, 'provider'),
    reset: shown((keepIsSyncing?: boolean) => requests.reset(keepIsSyncing), 'keepIsSyncing'),
    isConnected: shown(() => web3.currentProvider?.isConnected?.() ?? true),
    createBatch: shown(() => new Batch(requests)),
  };
}

function utilsOf({ addresses, keccak }: World): Holder {
  const sha3 = (text: string, options?: { encoding?: string }): string => {
    const isHex = options?.encoding === 'hex';
    return `0x${keccak(isHex ? text.replace(/^0x/, '') : hexOfText(utf8(text)))}`;
  };
  return {
    BigNumber: shown(BigNumber, 'value, base'),
    fromAscii: shown(fromAscii, 'str'),
    fromDecimal: shown(fromDecimal, 'value'),
    fromICAP: shown((icap: string) => new Iban(icap).address(), 'icap'),
    fromUtf8: shown(fromUtf8, 'str'),
    fromWei: shown(fromWei, 'number, unit'),
    isAddress: shown(addresses.isAddress, 'address'),
    isChecksumAddress: shown(addresses.isChecksumAddress, 'address'),
    isIBAN: shown(Iban.isValid, 'iban'),
    padLeft: shown(padLeft, 'string, chars, sign'),
    padRight: shown(padRight, 'string, chars, sign'),
    sha3: shown(sha3, 'string, options'),
    toAscii: shown(toAscii, 'hex'),
    toBigNumber: shown(toBigNumber, 'number'),
    toChecksumAddress: shown(addresses.toChecksumAddress, 'address'),
    toDecimal: shown(toDecimal, 'value'),
    toHex: shown(toHex, 'val'),
    toUtf8: shown(toUtf8, 'hex'),
    toWei: shown(toWei, 'number, unit'),
  };
}

/** The UTF-8 bytes of a text, one per character. */
function utf8(text: string): string {
  return toAscii(fromUtf8(text));
}
