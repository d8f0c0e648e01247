/** One validator of a scenario: its engine, and a driver that carries out the engine's effects. */
import { keyOf } from '../../src/core/base/bytes.ts';
import type { Block } from '../../src/core/chain/block.ts';
import { withCommitSeals } from '../../src/core/chain/extra-data.ts';
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  VoteMemory,
} from '../../src/core/consensus/bft/interface.ts';
import { EngineSwitch } from '../../src/core/consensus/engine-switch.ts';
import { messageOf, textOf, viewText } from './bft-text.ts';
import type { BftWorld, Envelope, Head } from './bft-world.ts';

type EffectOf<K extends BftEffect['kind']> = Extract<BftEffect, { kind: K }>;

/** Timers that every round sets: only printed where a scenario asks for them. */
const QUIET_TIMERS: readonly (string | undefined)[] = ['round', 'repeat'];

export class ScenarioValidator {
  readonly name: string;
  head: Head;
  private readonly world: BftWorld;
  private engine: BftEngineMachine | undefined;
  /** Its votes on disk. */
  private memory: VoteMemory | undefined;
  private wanted: EffectOf<'assemble'> | undefined;
  private readonly timers = new Map<string, number>();
  /** Block checks that are pending, by hash; undefined: each check completes immediately. */
  private slowChecks: Map<string, Block> | undefined;

  constructor(world: BftWorld, name: string) {
    this.world = world;
    this.name = name;
    this.head = world.genesis;
  }

  get isRunning(): boolean {
    return this.engine !== undefined;
  }

  /** Starts it with the state on its disk. */
  start(): string[] {
    this.engine = new EngineSwitch(this.world.signer(this.name));
    const memory = this.memory && { memory: this.memory };
    return this.step({ kind: 'start', ...this.place(), ...memory });
  }

  /** Stops it like a crash: everything that is not on disk is lost. */
  stop(): void {
    this.engine = undefined;
    this.wanted = undefined;
    this.timers.clear();
    this.slowChecks?.clear();
  }

  checkSlowly(): void {
    this.slowChecks = new Map();
  }

  propose(block: Block): string[] {
    if (!this.wanted) throw new Error(`${this.name} does not want a block`);
    const { view } = this.wanted;
    this.wanted = undefined;
    return this.step({ kind: 'assembled', view, block });
  }

  hear({ from, code, bytes }: Envelope): string[] {
    const carrier = this.world.signer(from).address;
    return this.step({ kind: 'message', from: carrier, code, bytes });
  }

  /** Advances the clock to when the timer is due. */
  fire(timer: string): string[] {
    const found = [...this.timers].find(([id]) => id.startsWith(`${timer}/`));
    if (!found) throw new Error(`${this.name} has no ${timer} timer`);
    const [id, dueMs] = found;
    this.timers.delete(id);
    this.world.nowMs = Math.max(this.world.nowMs, dueMs);
    return this.step({ kind: 'timer', id });
  }

  checked(block: Block): string[] {
    if (!this.slowChecks?.delete(keyOf(block.hash))) throw new Error('it is not being checked');
    return this.verdict(block);
  }

  /** Adds a block that the other validators have decided. */
  take(head: Head): string[] {
    this.head = head;
    return this.step({ kind: 'committed', ...this.place() });
  }

  private place() {
    const { validators, rules } = this.world;
    return { head: this.head.header, headHash: this.head.hash, validators, rules };
  }

  private step(input: BftInput): string[] {
    if (!this.engine) throw new Error(`${this.name} does not run`);
    const effects = this.engine.step(input, this.world.nowMs);
    return effects.flatMap((effect) => this.carryOut(effect));
  }

  private carryOut(effect: BftEffect): string[] {
    switch (effect.kind) {
      case 'remember':
        this.memory = effect.memory;
        return this.tell(`remembers ${viewText(effect.memory)}`);
      case 'broadcast':
        return this.broadcast(effect);
      case 'setTimer':
        return this.setTimer(effect);
      case 'clearTimer':
        this.timers.delete(effect.id);
        return [];
      case 'assemble':
        this.wanted = effect;
        return this.tell(`wants a block for ${viewText(effect.view)}`);
      case 'encode':
        throw new Error('no block of a scenario is long');
      case 'verify':
        return this.check(effect.block);
      case 'abandon':
        this.slowChecks?.delete(keyOf(effect.hash));
        return this.tell(`abandons the check of ${this.world.text.block(effect.hash)}`);
      case 'decide':
        return this.decide(effect);
      case 'misbehaved':
        return this.tell(`blames ${this.world.text.validator(effect.peer)}: ${effect.fault}`);
      case 'send':
      case 'relay':
        throw new Error(`"${effect.kind}" is not for networks where all are connected`);
    }
  }

  private tell(what: string): string[] {
    return [`${this.name} ${what}`];
  }

  private broadcast({ code, bytes }: EffectOf<'broadcast'>): string[] {
    for (const to of this.world.names) {
      if (to !== this.name) this.world.send({ from: this.name, to, code, bytes });
    }
    const message = messageOf(this.world.engine, code, bytes);
    return this.tell(`to all: ${textOf(message, this.world.text)}`);
  }

  private setTimer({ id, delayMs }: EffectOf<'setTimer'>): string[] {
    this.timers.set(id, this.world.nowMs + delayMs);
    const [timer, ...view] = id.split('/');
    if (QUIET_TIMERS.includes(timer) && !this.world.showsTimers) return [];
    return this.tell(`sets its ${timer} timer of ${view.join('/')} to ${delayMs} ms`);
  }

  private check(block: Block): string[] {
    if (!this.slowChecks) return this.verdict(block);
    this.slowChecks.set(keyOf(block.hash), block);
    return this.tell(`checks ${this.world.text.block(block.hash)}`);
  }

  private verdict({ hash }: Block): string[] {
    const fault = this.world.faultOf(hash);
    const said = this.tell(`finds ${this.world.text.block(hash)} ${fault ?? 'valid'}`);
    return [...said, ...this.step({ kind: 'verified', hash, ...(fault && { fault }) })];
  }

  private decide({ block, round, seals }: EffectOf<'decide'>): string[] {
    const name = this.world.text.block(block.hash);
    const said = this.tell(`decides ${name} in round ${round} with ${seals.length} seals`);
    const header = withCommitSeals(block.header, round, seals);
    return [...said, ...this.take({ header, hash: block.hash })];
  }
}
