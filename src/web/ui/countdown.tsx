/** A ring that shows the time left. The text beside it says the same. */
const RADIUS = 8;
const ROUND = 2 * Math.PI * RADIUS;

/** `left`: 0 to 1. */
export function Ring({ left }: { left: number }) {
  return (
    <svg class="ring" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <circle cx="11" cy="11" r={RADIUS} />
      <circle
        class="ring-left"
        cx="11"
        cy="11"
        r={RADIUS}
        stroke-dasharray={ROUND}
        stroke-dashoffset={ROUND * (1 - Math.min(1, Math.max(0, left)))}
      />
    </svg>
  );
}
