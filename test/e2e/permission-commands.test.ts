/**
 * The permission commands on a running network: the setup, interrupted and resumed; every verb, and
 * its output.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePermissionConfig } from '../../src/core/permission/config.ts';
import { MAIN, startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { endsWithTest } from '../support/ends-with-test.ts';

interface Done {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('quorate permission', () => {
  let network: TestDevnet;
  let folder: string;
  let people: string[];
  let enodes: string[];

  const file = (model = 'v2') => join(folder, `permission-config-${model}.json`);
  const common = (model?: string, node = 0) => [
    ...['--ledger.url', network.devnet.description.nodes[node]!.rpc],
    ...['--permission-config', file(model)],
  ];
  const run = (args: readonly string[], model?: string, node?: number): Promise<Done> =>
    new Promise((resolve) => {
      const argv = [MAIN, 'permission', ...args, ...common(model, node)];
      execFile(process.execPath, argv, { timeout: 120_000 }, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
    });
  const runAs = (who: number, ...args: string[]) => run([...args, '--from', people[who]!]);
  const passes = async (who: number, ...args: string[]) => {
    const done = await runAs(who, ...args);
    expect(done.stderr).toBe('');
    expect(done.stdout).toMatch(/^In block \d+, transaction 0x[0-9a-f]{64}\n/);
    return done.stdout;
  };
  const isRefused = async (reason: string, who: number, ...args: string[]) => {
    const done = await runAs(who, ...args);
    expect([done.stderr.trim(), done.status]).toEqual([`Fatal: ${reason}`, 1]);
  };
  const json = async () => JSON.parse((await run(['show', '--json'])).stdout);
  const initArgs = (model = 'v2') => [
    ...['init', '--model', model, '--from', people[0]!],
    ...['--accounts', people.slice(0, 3).join(), '--nodes', enodes.slice(0, 2).join()],
    ...['--breadth', '3', '--depth', '3'],
  ];

  beforeAll(async () => {
    network = await startTestDevnet();
    folder = mkdtempSync(join(tmpdir(), 'quorate-permission-'));
    people = network.accounts.map(({ address }) => address);
    enodes = network.devnet.description.nodes.map(({ enode }) => enode);
  });

  afterAll(async () => {
    await network?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('resumes a setup that was killed, with the contracts deployed so far', async () => {
    const child = endsWithTest(
      spawn(process.execPath, [MAIN, 'permission', ...initArgs(), ...common()]),
    );
    const first = await new Promise<string>((resolve) => {
      child.stdout.on('data', (data) => {
        const line = /PermissionsUpgradable deployed at (0x[0-9a-f]{40})/.exec(String(data));
        if (line) resolve(line[1]!);
      });
    });
    child.kill('SIGKILL');
    expect(existsSync(`${file()}.unfinished`)).toBe(true);
    const other = await run(initArgs('v1'));
    expect(other.stderr).toContain('was started with model v2');
    const done = await run(initArgs());
    expect(done.stderr).toBe('');
    expect(done.stdout).toContain(`PermissionsUpgradable is deployed at ${first}`);
    expect(done.stdout).toContain('the permissions are active');
    expect(existsSync(`${file()}.unfinished`)).toBe(false);
    const config = parsePermissionConfig(readFileSync(file(), 'utf8'));
    expect(config).toMatchObject({ model: 'v2', networkAdminOrg: 'ADMINORG', subOrgDepth: 3 });
    expect((await run(initArgs())).stderr).toContain('exists: permissions are set up');
  });

  it('shows the organisation, its administrators and its nodes', async () => {
    const { stdout } = await run(['show']);
    expect(stdout).toContain('Permissions, version 2: active');
    expect(stdout).toContain('ADMINORG  approved');
    expect(stdout).toContain('ADMIN  full access, administrator');
    expect(stdout).toContain(`${people[0]}  ADMIN, active, administrator`);
    expect(stdout).toContain(`${enodes[0]}  approved`);
    expect(stdout).toContain('No item is pending.');
    const { orgList, nodeList, acctList, pending } = await json();
    expect([orgList.length, nodeList.length, acctList.length, pending]).toEqual([1, 2, 3, null]);
    expect(orgList[0]).toMatchObject({ fullOrgId: 'ADMINORG', status: 2, statusName: 'approved' });
  });

  it('adds an organisation by votes, and reports who has voted', async () => {
    const proposed = await passes(0, 'org', 'add', 'ORG1', enodes[2]!, people[3]!);
    expect(proposed).toContain('Organisation ORG1: proposed');
    expect(proposed).toContain(`Waiting for votes: new organisation ORG1, node`);
    expect(proposed).toContain('0 of 2 votes');
    const waiting = 'items pending for approval. new item cannot be added';
    await isRefused(`reverted: ${waiting}`, 0, 'org', 'add', 'ORG2', enodes[3]!, people[4]!);
    const voted = await passes(0, 'approve');
    expect(voted).toContain('1 of 2 votes');
    expect(voted).toContain(`  for: ${people[0]}`);
    expect((await json()).pending).toMatchObject({ operation: 1, orgId: 'ORG1' });
    await isRefused('reverted: cannot double vote', 0, 'approve');
    const accepted = await passes(1, 'approve');
    expect(accepted).toContain('Accepted: new organisation ORG1, node');
    expect(accepted).toContain('Organisation ORG1: approved');
    await isRefused('Nothing to approve', 1, 'approve');
  });

  it('lets its administrator manage sub-organisations, roles, accounts and nodes', async () => {
    expect(await passes(3, 'org', 'add-sub', 'ORG1', 'SUB')).toContain('ORG1.SUB: approved');
    expect(await passes(3, 'role', 'add', 'ORG1', 'CLERK', '--access', '1')).toContain('active');
    expect(await passes(3, 'account', 'assign', 'ORG1', people[4]!, 'CLERK')).toContain(
      `Account ${people[4]}: active, CLERK of ORG1`,
    );
    expect(await passes(3, 'account', 'suspend', 'ORG1', people[4]!)).toContain('suspended');
    expect(await passes(3, 'account', 'activate', 'ORG1', people[4]!)).toContain('active');
    expect(await passes(3, 'account', 'denylist', 'ORG1', people[4]!)).toContain('denylisted');
    expect(await passes(3, 'node', 'add', 'ORG1', enodes[3]!)).toContain('approved');
    const otherSpelling = enodes[3]!.replace('?discport=0', '');
    expect(await passes(3, 'node', 'deactivate', 'ORG1', otherSpelling)).toContain('deactivated');
    expect(await passes(3, 'node', 'activate', 'ORG1', nodeId(enodes[3]!))).toContain('approved');
    expect(await passes(3, 'node', 'denylist', 'ORG1', enodes[3]!)).toContain('denylisted');
    const linked = `Accounts linked to the role. Cannot be removed: ${people[4]}; give them another role first`;
    await isRefused(linked, 3, 'role', 'remove', 'ORG1', 'CLERK');
    const tree = (await run(['show'])).stdout;
    expect(tree).toMatch(/^ORG1 {2}approved$/m);
    expect(tree).toMatch(/^ {2}SUB {2}approved$/m);
  });

  it('recovers, suspends and appoints administrators by votes, and drops rejected items', async () => {
    expect(await passes(0, 'account', 'recover', 'ORG1', people[4]!)).toContain(
      'recovery proposed',
    );
    await passes(0, 'reject');
    expect(await passes(1, 'reject')).toContain(`Account ${people[4]}: denylisted`);
    await passes(0, 'account', 'recover', 'ORG1', people[4]!);
    for (const voter of [0, 1]) await passes(voter, 'approve');
    expect(await passes(0, 'node', 'recover', 'ORG1', enodes[3]!)).toContain('recovery proposed');
    await passes(2, 'approve');
    expect(await passes(1, 'approve')).toContain('approved');
    expect(await passes(0, 'org', 'suspend', 'ORG1')).toContain('suspension proposed');
    await passes(1, 'reject');
    const rejected = await passes(2, 'reject');
    expect(rejected).toContain('Rejected: suspension of ORG1\n');
    expect(rejected).toContain('Organisation ORG1: approved');
    await isRefused('Nothing to reject', 2, 'reject');
    const waiting = await passes(0, 'account', 'assign', 'ORG1', people[4]!, 'ORGADMIN');
    expect(waiting).toContain('administrator of ORG1');
    await passes(0, 'approve');
    expect(await passes(2, 'approve')).toContain(`Account ${people[4]}: active, ORGADMIN of ORG1`);
    expect((await run(['show'])).stdout).toContain(`${people[3]}  ORGADMIN, revoked`);
    expect(await passes(4, 'role', 'remove', 'ORG1', 'CLERK')).toContain('removed');
  });

  it('does the same with version 1', async () => {
    expect((await run(initArgs('v1'), 'v1')).stderr).toBe('');
    const by = (who: number) => ['--from', people[who]!];
    await run(['org', 'add', 'ORG1', enodes[2]!, people[3]!, ...by(0)], 'v1');
    for (const voter of [1, 2]) await run(['approve', ...by(voter)], 'v1');
    await run(['node', 'deactivate', 'ORG1', nodeId(enodes[2]!), ...by(3)], 'v1');
    const { stdout } = await run(['show'], 'v1');
    expect(stdout).toContain('Permissions, version 1: active');
    expect(stdout).toContain(`${enodes[2]}  deactivated`);
  });

  it('reports wrong use', async () => {
    const special = 'Org id cannot contain special characters';
    await isRefused(special, 0, 'org', 'add', 'A.B', enodes[0]!, people[5]!);
    await isRefused('Invalid account id: 0x12', 0, 'org', 'add', 'ORG2', enodes[0]!, '0x12');
    const stranger = 'ab'.repeat(64);
    await isRefused('Node does not exist', 0, 'node', 'deactivate', 'ADMINORG', stranger);
    const notAdmin = 'reverted: account is not a org admin account';
    await isRefused(notAdmin, 5, 'role', 'add', 'ORG1', 'R');
    const not = 'reverted: account is not a network admin account';
    await isRefused(not, 5, 'org', 'suspend', 'ORG1');
    expect(
      (await runAs(0, 'org', 'add', 'ORG2', 'enode://12@127.0.0.1:1', people[5]!)).stderr,
    ).toMatch(/^Fatal: Invalid enode id: /);
    expect((await runAs(0, 'org', 'dissolve', 'ORG1')).stderr).toContain(
      'quorate permission org: unknown verb "dissolve": one of add, add-sub',
    );
    expect((await runAs(0, 'role')).stderr).toContain('a verb is missing: one of add, remove');
    expect(await run(['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('permission approve  Votes for the item'),
    });
    expect(await run(['vote'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^quorate permission: unknown command "vote": one of init, show,/,
      ),
    });
    const elsewhere = await run(['role', 'add', 'ORG1', 'R', '--from', people[4]!], 'v2', 1);
    expect(elsewhere.stderr).toContain(`unknown account; the node does not sign for ${people[4]}`);
    expect((await run(['org', 'suspend', 'ORG1'])).stderr).toContain('--from is missing');
    expect((await runAs(0, 'org', 'suspend')).stderr).toContain('permission org suspend <org>');
  });
});

function nodeId(enode: string): string {
  return /[0-9a-f]{128}/.exec(enode)![0];
}
