/** The logo beside a provider's name. */
export function Brand({ name }: { name: string }) {
  return (
    <span class="brand">
      <svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true">
        <rect width="28" height="28" rx="8" fill="var(--accent)" />
        <path
          d="M14 6.500a7.500 7.500 0 1 0 4.800 13.260l2.200 2.240M17.200 17.400l1.600 2.360"
          fill="none"
          stroke="var(--on-accent)"
          stroke-width="2.600"
          stroke-linecap="round"
        />
        <path
          d="M14 6.500a7.500 7.500 0 0 1 6.400 11.400"
          fill="none"
          stroke="var(--on-accent)"
          stroke-opacity="0.550"
          stroke-width="2.600"
          stroke-linecap="round"
        />
      </svg>
      <span class="brand-name">{name}</span>
    </span>
  );
}
