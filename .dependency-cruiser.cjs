// The arrows of ARCHITECTURE.md, held. An import that points outward fails `npm run check`.
const core = (name) => `^src/core/${name}/`;
/** What each room of core may import beside itself. */
const CORE_ARROWS = {
  base: [],
  chain: ['base'],
  privacy: ['base', 'chain'],
  access: ['base'],
  payload: ['base', 'privacy'],
  staking: ['base'],
  pages: [],
  ramp: ['base', 'pages'],
  submission: ['base', 'chain'],
  signing: ['base', 'chain', 'privacy'],
  state: ['base', 'chain'],
  wire: ['base', 'chain'],
  discovery: ['base'],
  permission: ['base', 'chain', 'wire'],
  consensus: ['base', 'chain'],
  evm: ['base', 'chain', 'state'],
  execution: ['base', 'chain', 'state', 'evm', 'privacy'],
  store: ['base', 'chain', 'state', 'privacy', 'execution', 'consensus'],
  txpool: ['base', 'chain', 'wire'],
  sync: ['base', 'chain', 'wire'],
};
const io = (name) => `^src/io/${name}/`;
/** The rooms of io that others stand on, lowest first: each may import those before it. The rest stand side by side. */
const IO_FOUNDATION = ['host', 'threads', 'options', 'telemetry', 'crypto', 'http'];
/** The rooms of a node, lowest first: each may import those before it. */
const NODE_ROOMS = [
  'chain',
  'consensus',
  'private-state',
  'sending',
  'permission',
  'extension',
  'peers',
];
const node = (name) => `^src/services/ledger/node/${name}/`;
const TEST = '(\\.test\\.ts$)|(^test/)|(^bench/)';
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Not even of types: what two files need of each other belongs into a third.',
      from: {},
      to: { circular: true },
    },
    ...Object.entries(CORE_ARROWS).map(([room, allowed]) => ({
      name: `core-${room}-arrows`,
      severity: 'error',
      from: { path: core(room), pathNot: TEST },
      to: { path: '^src/', pathNot: [core(room), ...allowed.map(core)] },
    })),
    {
      name: 'core-is-pure',
      severity: 'error',
      from: { path: '^src/core/', pathNot: TEST },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/@noble/' },
    },
    {
      name: 'core-imports-core',
      severity: 'error',
      from: { path: '^src/core/', pathNot: TEST },
      to: { path: '^src/(io|services|cli)/' },
    },
    {
      name: 'clients-stand-alone',
      severity: 'error',
      from: { path: '^src/clients/', pathNot: TEST },
      to: { path: '^src/', pathNot: '^src/clients/' },
    },
    {
      // It runs in the context of the users' scripts, which has nothing else.
      name: 'console-guest-stands-alone',
      severity: 'error',
      from: { path: '^src/services/console/guest/', pathNot: TEST },
      to: { pathNot: ['^src/services/console/guest/', 'node_modules/bignumber.js/'] },
    },
    {
      name: 'web-stands-alone',
      comment: 'Pages run in browsers: of the rest they know the types of core alone.',
      severity: 'error',
      from: { path: '^src/web/', pathNot: TEST },
      to: { path: '^src/', pathNot: ['^src/web/', '^src/core/'] },
    },
    {
      name: 'web-runs-without-core',
      severity: 'error',
      from: { path: '^src/web/', pathNot: TEST },
      to: { path: '^src/core/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'web-ui-is-shared',
      severity: 'error',
      from: { path: '^src/web/ui/', pathNot: TEST },
      to: { path: '^src/', pathNot: '^src/web/ui/' },
    },
    {
      name: 'web-pages-stand-alone',
      severity: 'error',
      from: { path: '^src/web/([^/]+)/', pathNot: TEST },
      to: { path: '^src/web/', pathNot: ['^src/web/$1/', '^src/web/ui/'] },
    },
    {
      name: 'services-send-pages',
      comment: 'A page reaches its service as a bundle.',
      severity: 'error',
      from: { path: '^src/(core|io|services|cli|clients)/', pathNot: TEST },
      to: { path: '^src/web/' },
    },
    {
      name: 'io-imports-core',
      severity: 'error',
      from: { path: '^src/io/', pathNot: TEST },
      to: { path: '^src/(services|cli)/' },
    },
    {
      name: 'io-rooms-stand-alone',
      severity: 'error',
      from: { path: '^src/io/([^/]+)/', pathNot: TEST },
      to: { path: '^src/io/', pathNot: ['^src/io/$1/', ...IO_FOUNDATION.map(io)] },
    },
    ...IO_FOUNDATION.map((room, at) => ({
      name: `io-${room}-arrows`,
      severity: 'error',
      from: { path: io(room), pathNot: TEST },
      to: { path: '^src/io/', pathNot: IO_FOUNDATION.slice(0, at + 1).map(io) },
    })),
    ...NODE_ROOMS.map((room, at) => ({
      name: `node-${room}-arrows`,
      severity: 'error',
      from: { path: node(room), pathNot: TEST },
      to: {
        path: '^src/services/ledger/node/.*/',
        pathNot: NODE_ROOMS.slice(0, at + 1).map(node),
      },
    })),
    {
      name: 'services-stand-alone',
      severity: 'error',
      from: { path: '^src/services/([^/]+)/', pathNot: TEST },
      to: { path: '^src/services/', pathNot: '^src/services/$1/' },
    },
    {
      name: 'services-below-cli',
      severity: 'error',
      from: { path: '^src/services/', pathNot: TEST },
      to: { path: '^src/cli/' },
    },
    {
      name: 'node-heart-imports-core-only',
      severity: 'error',
      from: { path: '^src/services/(ledger/node|ptm/manager|signer/proxy)/', pathNot: TEST },
      to: { pathNot: ['^src/core/', '^src/services/(ledger/node|ptm/manager|signer/proxy)/'] },
    },
    {
      name: 'no-production-import-of-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: TEST },
      to: { path: TEST },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.test.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
