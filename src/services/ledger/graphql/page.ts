/** A page to try GraphQL from a browser; self-contained. */
import type { Page } from '../../../io/rpc/http.ts';

const HTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphQL of this node</title>
<style>
  body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem auto; max-width: 76rem; padding: 0 1rem; }
  main { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
  textarea, pre, input { font: 13px/1.45 ui-monospace, monospace; width: 100%; box-sizing: border-box; }
  textarea, pre { border: 1px solid #bbb; border-radius: 4px; padding: .6rem; margin: 0; }
  pre { overflow: auto; max-height: 40rem; min-height: 24rem; background: #f6f7f8; white-space: pre-wrap; }
  label { display: block; margin: .6rem 0 .2rem; }
  button { font: inherit; padding: .35rem 1.1rem; margin: .8rem 0; }
  summary { cursor: pointer; margin: .6rem 0; }
  @media (max-width: 48rem) { main { grid-template-columns: 1fr; } }
</style>
</head>
<body>
<h1>GraphQL of this node</h1>
<p>Queries go to <code>POST /graphql</code>. Ctrl-Enter runs them.</p>
<main>
<div>
<label for="query">Query</label>
<textarea id="query" rows="14" spellcheck="false">{
  block {
    number
    hash
    transactionCount
    transactions { hash isPrivate from { address } to { address } status }
  }
}</textarea>
<label for="variables">Variables (JSON)</label>
<textarea id="variables" rows="3" spellcheck="false"></textarea>
<details>
<summary>Private state, access token</summary>
<label for="psi">Private state (Quorum-PSI)</label>
<input id="psi" autocomplete="off">
<label for="token">Access token</label>
<input id="token" type="password" autocomplete="off">
</details>
<button id="run">Run</button>
<button id="schema">Show the schema</button>
</div>
<div><label for="answer">Answer</label><pre id="answer" tabindex="0" aria-live="polite"></pre></div>
</main>
<script>
const field = (id) => document.getElementById(id);
const typeName = (type) =>
  type.kind === 'NON_NULL' ? typeName(type.ofType) + '!'
  : type.kind === 'LIST' ? '[' + typeName(type.ofType) + ']' : type.name;
const TYPE = 'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';
const SCHEMA = '{ __schema { types { name kind fields { name description args { name type { ' + TYPE + ' } } type { ' + TYPE + ' } } inputFields { name description type { ' + TYPE + ' } } } } }';
async function ask(query, variables) {
  const headers = { 'content-type': 'application/json' };
  if (field('psi').value) headers['Quorum-PSI'] = field('psi').value;
  if (field('token').value) headers.authorization = 'Bearer ' + field('token').value;
  const reply = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  const text = await reply.text();
  try { return JSON.parse(text); } catch { return text; }
}
async function show(work) {
  try {
    const answer = await work();
    field('answer').textContent = typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2);
  } catch (error) { field('answer').textContent = String(error); }
}
const run = () => show(() => {
  const text = field('variables').value.trim();
  return ask(field('query').value, text === '' ? undefined : JSON.parse(text));
});
const shown = (member) => '  ' + member.name
  + (member.args && member.args.length ? '(' + member.args.map((each) => each.name + ': ' + typeName(each.type)).join(', ') + ')' : '')
  + ': ' + typeName(member.type) + (member.description ? '  # ' + member.description : '');
field('run').addEventListener('click', run);
field('schema').addEventListener('click', () => show(async () => {
  const answer = await ask(SCHEMA);
  if (!answer.data) return answer;
  return answer.data.__schema.types
    .filter((type) => !type.name.startsWith('__') && (type.fields || type.inputFields))
    .map((type) => (type.fields ? 'type ' : 'input ') + type.name + ' {\\n'
      + (type.fields || type.inputFields).map(shown).join('\\n') + '\\n}')
    .join('\\n\\n');
}));
field('query').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
});
</script>
</body>
</html>
`;

export const graphqlPage: Page = { status: 200, contentType: 'text/html', body: HTML };
