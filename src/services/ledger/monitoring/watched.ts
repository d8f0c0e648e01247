/** The ports of a node, wrapped so that the duration of its callbacks is measured. */
import type { Slices } from '../../../core/base/pace.ts';
import type { Links, Timers, Watch } from '../../../core/base/ports.ts';

export function watchedPorts(
  { timers, links }: { readonly timers: Timers; readonly links: Links },
  watch: Watch,
) {
  return { timers: watchedTimers(timers, watch), links: watchedLinks(links, watch), watch };
}

function watchedTimers(timers: Timers, watch: Watch): Timers {
  return {
    set: (delayMs, fire) => timers.set(delayMs, () => watch.during('timer', fire)),
    yield: (next) => timers.yield(() => watch.during('slice', next)),
  };
}

function watchedLinks(links: Links, watch: Watch): Links {
  return {
    send: (peer, message) => links.send(peer, message),
    drop: (peer, reason) => links.drop(peer, reason),
    events: (sink) =>
      links.events((event) => {
        const what =
          event.kind === 'message'
            ? `peer ${event.message.protocol} ${event.message.code}`
            : `peer ${event.kind}`;
        const work = watch.during(what, () => sink(event));
        return work && watchedSlices(work, what, watch);
      }),
  };
}

function* watchedSlices<T>(work: Slices<T>, what: string, watch: Watch): Slices<T> {
  for (;;) {
    const step = watch.during(what, () => work.next());
    if (step.done) return step.value;
    yield;
  }
}
