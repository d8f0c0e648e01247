/** The frame of every page: navigation, search, node, language and colours. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Theme } from '../../../core/pages/look.ts';
import { Brand } from '../../ui/brand.tsx';
import { Button } from '../../ui/button.tsx';
import { SmallSelect } from '../../ui/field.tsx';
import { Notice } from '../../ui/status.tsx';
import { ThemeButton } from '../../ui/theme-button.tsx';
import { useConnection, useHead } from '../node/connection.tsx';
import { Link, usePlace } from '../router.tsx';
import { LANGUAGE_OPTIONS, useSpeech } from '../speech.ts';
import { AccessDialog } from './access-dialog.tsx';
import { Search } from './search.tsx';

export function Frame({ theme, children }: { theme: Theme; children: ComponentChildren }) {
  const { texts, language, setLanguage } = useSpeech();
  const { node } = useConnection();
  const { isReachable } = useHead();
  return (
    <div class="board">
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="board-head">
        <Link to="/" class="home">
          <Brand name="Quorate" />
        </Link>
        <Navigation />
        <div class="board-end">
          <NodeChoice />
          <SmallSelect
            label={texts.language}
            value={language}
            options={LANGUAGE_OPTIONS}
            onInput={setLanguage}
          />
          <ThemeButton first={theme} {...{ texts }} />
        </div>
      </header>
      <div class="board-main stack">
        <Search />
        {!isReachable && (
          <Notice tone="bad" alert>
            {texts.nodeGone(node.name || texts.thisNode)}
          </Notice>
        )}
        <main id="content" class="stack" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

function Navigation() {
  const { texts } = useSpeech();
  const { path } = usePlace();
  const places: readonly (readonly [path: string, name: string, below: RegExp])[] = [
    ['/', texts.overview, /^\/$/],
    ['/blocks', texts.blocks, /^\/block/],
    ['/txs', texts.transactions, /^\/tx/],
    ['/deploy', texts.deploy, /^\/deploy/],
    ['/validators', texts.validators, /^\/validators/],
    ['/permissions', texts.permissions, /^\/permissions/],
    ['/node', texts.node, /^\/node/],
  ];
  const tabs = useRef<HTMLElement>(null);
  // On a narrow screen the tabs scroll in a line of their own.
  useEffect(() => {
    const [line, present] = [
      tabs.current,
      tabs.current?.querySelector<HTMLElement>('[aria-current]'),
    ];
    if (line && present)
      line.scrollLeft = present.offsetLeft - (line.clientWidth - present.clientWidth) / 2;
  }, [path]);
  return (
    <nav class="board-nav" aria-label={texts.pages} ref={tabs}>
      {places.map(([to, name, below]) => (
        <Link key={to} to={to} class="board-tab" current={below.test(path)}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

function NodeChoice() {
  const { texts } = useSpeech();
  const { page, node, choose, access } = useConnection();
  const [isOpen, setOpen] = useState(false);
  const options = page.nodes.map(({ name }) => ({ value: name, label: name || texts.thisNode }));
  return (
    <>
      {page.nodes.length > 1 && (
        <SmallSelect
          label={texts.askedNode}
          value={node.name}
          options={options}
          onInput={(name) => choose(page.nodes.find((each) => each.name === name) ?? node)}
        />
      )}
      <Button look="quiet" small onClick={() => setOpen(true)}>
        {access.token === '' && access.psi === '' ? texts.access : texts.accessGiven}
      </Button>
      {isOpen && <AccessDialog onClose={() => setOpen(false)} />}
    </>
  );
}
