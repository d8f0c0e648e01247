/** A tracer in JavaScript that tells all that a script is shown. */
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
