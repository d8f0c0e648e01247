/** Grafana's dashboards from short descriptions: rows of panels, laid out on its grid. */

export interface Query {
  readonly expr: string;
  readonly legend?: string;
  /** One value now, not a series: for tables and single figures. */
  readonly instant?: boolean;
}

export interface Panel {
  readonly title: string;
  readonly about: string;
  readonly kind: 'stat' | 'timeseries' | 'table';
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Colour from a value on: green below the first. */
  readonly thresholds?: Thresholds | undefined;
  /** Of the 24 columns. */
  readonly width: number;
}

/** `low`: small values are the bad ones. */
export interface Thresholds {
  readonly orange: number;
  readonly red: number;
  readonly low?: boolean;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  /** Metric whose instances may be chosen. */
  readonly instancesOf: string;
  readonly rows: readonly Row[];
}

const COLUMNS = 24;
const STAT_HEIGHT = 4;
const GRAPH_HEIGHT = 8;
/** Of Grafana 11, which newer ones upgrade. */
const SCHEMA_VERSION = 39;
const SOURCE = { type: 'prometheus', uid: '$datasource' };

type Options = Partial<Pick<Panel, 'thresholds' | 'width' | 'unit'>>;

/** One figure. */
export function stat(title: string, about: string, expr: string, options: Options = {}): Panel {
  const queries = [{ expr, instant: true }];
  return { title, about, kind: 'stat', unit: 'short', queries, width: 4, ...options };
}

export function graph(
  title: string,
  about: string,
  queries: readonly Query[],
  options: Options = {},
): Panel {
  return { title, about, kind: 'timeseries', unit: 'short', queries, width: 8, ...options };
}

export function table(title: string, about: string, expr: string, options: Options = {}): Panel {
  const queries = [{ expr, instant: true }];
  return { title, about, kind: 'table', unit: 'short', queries, width: 8, ...options };
}

/** As Grafana imports it. */
export function dashboardJson(dashboard: Dashboard): string {
  const { uid, title, about, instancesOf, rows } = dashboard;
  const json = {
    uid,
    title,
    description: about,
    tags: ['quorate'],
    editable: true,
    graphTooltip: 1,
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    templating: { list: [sourceVariable(), instanceVariable(instancesOf)] },
    annotations: { list: [] },
    links: [
      {
        ...{ title: 'Quorate', type: 'dashboards', tags: ['quorate'] },
        ...{ asDropdown: true, includeVars: false, keepTime: true },
      },
    ],
    panels: laidOut(rows),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

function sourceVariable() {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };
}

function instanceVariable(metric: string) {
  const query = `label_values(${metric}, instance)`;
  return {
    ...{ name: 'instance', label: 'Instance', type: 'query', datasource: SOURCE },
    ...{ definition: query, query: { query, refId: 'instances' } },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: '.*' },
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}

function laidOut(rows: readonly Row[]): object[] {
  const out: object[] = [];
  let y = 0;
  const id = () => out.length + 1;
  for (const { title, panels } of rows) {
    out.push({
      ...{ id: id(), type: 'row', title, collapsed: false, panels: [] },
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y++;
    let x = 0;
    let height = 0;
    for (const panel of panels) {
      const h = panel.kind === 'stat' ? STAT_HEIGHT : GRAPH_HEIGHT;
      if (x + panel.width > COLUMNS) {
        x = 0;
        y += height;
        height = 0;
      }
      out.push(panelJson(panel, id(), { x, y, w: panel.width, h }));
      x += panel.width;
      height = Math.max(height, h);
    }
    y += height;
  }
  return out;
}

function panelJson(panel: Panel, id: number, gridPos: object) {
  const { kind, title, about, unit, queries, thresholds } = panel;
  return {
    ...{ id, type: kind, title, description: about, datasource: SOURCE, gridPos },
    fieldConfig: {
      defaults: {
        unit,
        ...(kind === 'stat' && !thresholds
          ? { color: { mode: 'fixed', fixedColor: 'text' } }
          : { color: { mode: kind === 'timeseries' ? 'palette-classic' : 'thresholds' } }),
        thresholds: { mode: 'absolute', steps: steps(thresholds) },
        ...(kind === 'timeseries' ? { min: 0, custom: lines(thresholds) } : {}),
      },
      overrides: [],
    },
    options: OPTIONS[kind],
    targets: queries.map(({ expr, legend, instant = false }, at) => ({
      ...{ refId: String.fromCharCode(65 + at), datasource: SOURCE, editorMode: 'code' },
      ...{ expr, legendFormat: legend ?? '{{instance}}', instant, range: !instant },
      ...(kind === 'table' ? { format: 'table' } : {}),
    })),
  };
}

function steps(thresholds: Thresholds | undefined) {
  if (!thresholds) return [{ color: 'green', value: null }];
  const { orange, red, low } = thresholds;
  return low
    ? [
        { color: 'red', value: null },
        { color: 'orange', value: red },
        { color: 'green', value: orange },
      ]
    : [
        { color: 'green', value: null },
        { color: 'orange', value: orange },
        { color: 'red', value: red },
      ];
}

function lines(thresholds: Thresholds | undefined) {
  return {
    ...{ drawStyle: 'line', lineWidth: 1, fillOpacity: 8, showPoints: 'never', spanNulls: false },
    thresholdsStyle: { mode: thresholds ? 'line' : 'off' },
  };
}

const OPTIONS = {
  stat: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    ...{ colorMode: 'value', graphMode: 'none', textMode: 'auto', justifyMode: 'auto' },
  },
  timeseries: {
    legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  table: { showHeader: true, cellHeight: 'sm', footer: { show: false } },
} as const;
