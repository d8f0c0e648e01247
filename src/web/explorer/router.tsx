/** The URLs of the explorer's pages, which can be bookmarked and shared. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

interface Place {
  readonly base: string;
  /** Without the base, such as `/block/12`. */
  readonly path: string;
  go(path: string): void;
}

const Here = createContext<Place>({ base: '', path: '/', go() {} });

export function Router({ base, children }: { base: string; children: ComponentChildren }) {
  const read = () => location.pathname.slice(base.length) || '/';
  const [path, setPath] = useState(read);
  useEffect(() => {
    const moved = () => setPath(read());
    addEventListener('popstate', moved);
    return () => removeEventListener('popstate', moved);
  }, []);
  const go = (next: string) => {
    history.pushState(null, '', base + next);
    setPath(read());
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  };
  return <Here.Provider value={{ base, path, go }}>{children}</Here.Provider>;
}

export const usePlace = (): Place => useContext(Here);

export function Link({
  to,
  current = false,
  label,
  class: name,
  children,
}: {
  to: string;
  current?: boolean;
  label?: string | undefined;
  class?: string | undefined;
  children: ComponentChildren;
}) {
  const { base, go } = usePlace();
  return (
    <a
      href={base + to}
      class={name}
      title={label}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        // Leaves new tabs and windows to the browser.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
