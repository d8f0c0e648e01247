/** A tracer in JavaScript that reports everything that scripts can see. */
export const TRACER_SCRIPT = `{
  seen: [],
  step: function (log, db) {
    var { stack, memory, contract } = log;
    for (var i = 0; i < stack.length(); i++) this.seen.push(stack.peek(i).toString(16));
    this.seen.push(toHex(memory.slice(0, memory.length())), toHex(contract.getInput()));
    this.seen.push(toHex(db.getCode(contract.getAddress())));
  },
  fault: function () {},
  result: function (ctx, db) {
    var codes = [ctx.from, ctx.to].map(function (each) { return each && toHex(db.getCode(each)) });
    return [this.seen, codes, ctx.input && toHex(ctx.input), ctx.output && toHex(ctx.output)];
  },
}`;

/**
 * Tracers that read accounts by themselves, whatever is traced: at each opcode, at each call frame,
 * and at the end.
 */
export function diggingScript(addresses: readonly string[]): readonly string[] {
  const dig = `seen: [],
  dig: function (db) {
    if (this.seen.length > 100) return;
    var seen = this.seen;
    ${JSON.stringify(addresses)}.forEach(function (each) {
      var who = toAddress(each);
      seen.push(toHex(db.getCode(who)), db.exists(who), db.getNonce(who), db.getBalance(who));
      for (var slot = 0; slot < 3; slot++) seen.push(toHex(db.getState(who, toWord('0' + slot))));
    });
  },
  fault: function (log, db) { this.dig(db) },
  result: function (ctx, db) { this.dig(db); return this.seen }`;
  return [
    `{ ${dig}, step: function (log, db) { this.dig(db) } }`,
    `{ ${dig}, enter: function (call) { this.seen.push(toHex(call.getInput())) },
       exit: function (left) { this.seen.push(toHex(left.getOutput())) } }`,
  ];
}
