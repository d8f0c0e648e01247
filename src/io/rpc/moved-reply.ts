/**
 * Replies whose bytes a reader has moved to this thread. V8 frees moved bytes only when it collects
 * the garbage of the whole heap, which it therefore does after each few MB of them: for long
 * replies that takes as much time as the replies themselves.
 */

/** Bytes that are posted to a closed port are moved out of this thread, and freed at once. */
const nowhere = new MessageChannel().port1;
nowhere.close();

/** Called when a reply is no longer needed. Its bytes, if it is not text, have length 0 then. */
export function freeMoved(reply: string | Uint8Array): void {
  if (typeof reply === 'string') return;
  const { buffer, byteLength } = reply;
  // A buffer with more bytes has others' too.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength)
    nowhere.postMessage(undefined, [buffer]);
}
