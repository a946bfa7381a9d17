import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestCall, testPlugin } from '@cni/skel/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plugin } from './plugin.ts'
import { type Fault, startStandIn } from './testing/stand-in.ts'

let folder: string
let socket: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contiv-'))
  socket = join(folder, 'run/contiv-cni.sock')
})
afterEach(() => rmSync(folder, { recursive: true }))

const NETNS = '/proc/4242/ns/net'
const ARGS = 'IgnoreUnknown=1;K8S_POD_NAMESPACE=utK8sNS;K8S_POD_NAME=utPod;K8S_POD_INFRA_CONTAINER_ID=infra'
const tester = testPlugin(plugin)

/** A call of an old runtime: `/proc/PID/ns/net`, configuration 0.3.1. */
const call = ({ conf, ...rest }: TestCall = {}): TestCall => ({
  args: ARGS,
  env: { CNI_NETNS: NETNS },
  conf: { cniVersion: '0.3.1', contiv: { socket, log_file: '' }, ...(typeof conf === 'string' ? {} : conf) },
  ...rest,
})

describe('the request to the daemon', () => {
  const expected =
    '{"K8S_POD_NAME":"utPod","K8S_POD_NAMESPACE":"utK8sNS","K8S_POD_INFRA_CONTAINER_ID":"infra",' +
    '"CNI_NETNS":"/proc/4242/ns/net","CNI_IFNAME":"eth0"}'

  it.each([
    ['add', '/ContivCNI.AddPod'],
    ['del', '/ContivCNI.DelPod'],
  ] as const)('%s posts the request of the original client, byte for byte', async (verb, url) => {
    await using daemon = await startStandIn({ socket })
    expect((await tester[verb](call())).exitCode).toBe(0)
    expect(daemon.requests).toMatchObject([{ method: 'POST', url, contentType: 'application/json', body: expected }])
  })

  const pod = { K8S_POD_NAME: 'utPod', K8S_POD_NAMESPACE: 'utK8sNS', K8S_POD_INFRA_CONTAINER_ID: 'infra' }
  it.each([
    ['a trailing semicolon', `${ARGS};`, pod],
    ['quotes and backslashes', ARGS.replace('utPod', 'a"b\\c'), { ...pod, K8S_POD_NAME: 'a"b\\c' }],
    ['an equals sign in a value', ARGS.replace('utPod', 'a=b'), { ...pod, K8S_POD_NAME: 'a=b' }],
    ['HTML, escaped as Go does', ARGS.replace('utPod', '<&>'), { ...pod, K8S_POD_NAME: '<&>' }],
    ['keys in another case, of which the last wins', `${ARGS};k8s_pod_name=other`, { ...pod, K8S_POD_NAME: 'other' }],
    ['unknown keys', `${ARGS};K8S_POD_UID=1;X=2`, pod],
    [
      'nothing but a name: what is empty is left out',
      'K8S_POD_NAME=utPod;K8S_POD_NAMESPACE=',
      { K8S_POD_NAME: 'utPod' },
    ],
  ])('CNI_ARGS may have %s', async (_title, args, expectedPod) => {
    await using daemon = await startStandIn({ socket })
    await tester.del(call({ args }))
    const [request] = daemon.requests
    expect(JSON.parse(request?.body ?? '')).toEqual({ ...expectedPod, CNI_NETNS: NETNS, CNI_IFNAME: 'eth0' })
    expect(request?.body).not.toContain('<')
  })

  it('is not sent if CNI_ARGS is empty: ADD names the missing keys, DEL succeeds', async () => {
    await using daemon = await startStandIn({ socket })
    const { exitCode, error } = await tester.add(call({ args: '' }))
    expect([exitCode, error]).toMatchObject([1, { code: 4, msg: expect.stringContaining('CNI_ARGS') }])
    expect(await tester.del(call({ args: '' }))).toMatchObject({ exitCode: 0, stdout: '' })
    expect(daemon.requests).toEqual([])
  })

  it('has no namespace if DEL has none', async () => {
    await using daemon = await startStandIn({ socket })
    await tester.del(call({ netns: 'none', env: {} }))
    await tester.del(call({ netns: 'host', env: {} }))
    for (const { body } of daemon.requests) expect(JSON.parse(body)).not.toHaveProperty('CNI_NETNS')
    expect(daemon.requests).toHaveLength(2)
  })
})

it('has no namespace if DEL cannot start a process in it', async () => {
  await using daemon = await startStandIn({ socket })
  // The kernel does not know the fake namespace.
  const { exitCode, log } = await tester.del(call({ env: { CNI_NETNS: '/run/netns/pod' } }))
  expect(exitCode).toBe(0)
  expect(log).toContainEqual(expect.objectContaining({ level: 'warn' }))
  expect(daemon.requests.map(({ body }) => 'CNI_NETNS' in JSON.parse(body))).toEqual([false])
})

describe('ADD', () => {
  it('prints the address unchanged, in the version of the configuration', async () => {
    await using _ = await startStandIn({ socket })
    const { stdout } = await tester.add(call())
    expect(JSON.parse(stdout)).toEqual({
      cniVersion: '0.3.1',
      interfaces: [{ name: 'eth0', sandbox: NETNS }],
      ips: [{ version: '4', interface: 0, address: '44.55.66.77/22' }],
      dns: {},
    })
  })

  it('prints both addresses of a dual-stack pod', async () => {
    await using _ = await startStandIn({ socket, dualStack: true })
    const { stdout } = await tester.add(call({ conf: { cniVersion: '1.1.0' } }))
    expect(JSON.parse(stdout)).toMatchObject({
      cniVersion: '1.1.0',
      ips: [
        { address: '44.55.66.77/22', interface: 0 },
        { address: '2016:430::77/100', interface: 0 },
      ],
    })
  })

  it("repeated for the same pod fails with the daemon's error, and keeps the first endpoint", async () => {
    await using daemon = await startStandIn({ socket })
    await tester.add(call())
    const { error } = await tester.add(call())
    expect(error).toEqual({
      cniVersion: '0.3.1',
      code: 1,
      msg: 'Contiv:Error creating EP',
      details: 'Err: EP exists',
    })
    expect([...daemon.endpoints.keys()]).toEqual(['infra'])
  })

  it.each(['bad ip', 'bad ipv6', 'no ip'] as const)('deletes the endpoint if the response has %s', async (fault) => {
    await using daemon = await startStandIn({ socket, fault })
    const { exitCode, error } = await tester.add(call())
    expect([exitCode, error]).toMatchObject([1, { code: 999, msg: expect.stringMatching(/^Contiv:ip(v6)?address: /) }])
    expect(daemon.requests.map(({ url }) => url)).toEqual(['/ContivCNI.AddPod', '/ContivCNI.DelPod'])
  })
})

describe('every reply of the daemon', () => {
  const rows: ReadonlyArray<readonly [Fault, { code: number; msg: string; details?: unknown }]> = [
    ['404', { code: 999, msg: 'Contiv:page not found' }],
    ['403', { code: 999, msg: 'Contiv:access denied' }],
    ['500 with JSON', { code: 1, msg: 'Contiv:Error creating EP', details: 'Err: no more addresses' }],
    ['500 without result', { code: 999, msg: 'Contiv:internal server error' }],
    [
      '500 with text',
      { code: 999, msg: 'Contiv:internal server error', details: expect.stringContaining('panic: runtime error') },
    ],
    ['400', { code: 999, msg: 'Contiv:400 Bad Request' }],
    ['result with 200', { code: 42, msg: 'Contiv:Error creating EP', details: 'Err: no more addresses' }],
    [
      'text with 200',
      { code: 999, msg: expect.stringContaining('Contiv:unreadable answer'), details: expect.stringContaining('OK') },
    ],
    ['reset', { code: 11, msg: expect.stringMatching(/^Contiv:./) }],
  ]

  it.each(rows)('%s: ADD prints one error', async (fault, error) => {
    await using daemon = await startStandIn({ socket, fault })
    const outcome = await tester.add(call())
    expect([outcome.exitCode, outcome.error]).toEqual([1, { cniVersion: '0.3.1', ...error }])
    expect(daemon.requests).toHaveLength(1)
  })

  it.each(rows)('%s: DEL succeeds, and logs every reply except a 200', async (fault, { msg }) => {
    await using _ = await startStandIn({ socket, fault })
    const { exitCode, stdout, log } = await tester.del(call())
    expect([exitCode, stdout]).toEqual([0, ''])
    const warning = { level: 'warn', msg: 'the daemon did not delete the pod', reason: msg }
    const warnings = log.filter(({ level }) => level === 'warn')
    expect(warnings).toEqual(fault.endsWith('with 200') ? [] : [expect.objectContaining(warning)])
  })

  it.each(['add', 'del'] as const)('without a response, %s ends at its deadline with code 11', async (verb) => {
    await using _ = await startStandIn({ socket, fault: 'hang' })
    const { error } = await testPlugin({ ...plugin, timeout: 100 })[verb](call())
    expect(error).toMatchObject({ code: 11 })
  })
})

describe('a daemon that is down', () => {
  it.each([
    ['add', 11],
    ['check', 11],
    ['status', 50],
  ] as const)('%s is code %i', async (verb, code) => {
    const { error } = await tester[verb](call({ conf: { cniVersion: '1.1.0' } }))
    expect(error).toMatchObject({ code, msg: 'Contiv:daemon unreachable', details: expect.stringContaining('ENOENT') })
  })

  it('DEL succeeds with a warning', async () => {
    const { exitCode, stdout, log } = await tester.del(call())
    expect([exitCode, stdout]).toEqual([0, ''])
    expect(log).toContainEqual(expect.objectContaining({ level: 'warn', reason: 'Contiv:daemon unreachable' }))
  })

  it('DEL fails with code 11 if the configuration asks for a retry', async () => {
    const { error } = await tester.del(call({ conf: { contiv: { socket, log_file: '', unreachable_del: 'fail' } } }))
    expect(error).toMatchObject({ code: 11, msg: 'Contiv:daemon unreachable' })
  })
})

describe('a daemon that is up', () => {
  it.each(['check', 'status'] as const)('%s succeeds without a health endpoint', async (verb) => {
    await using daemon = await startStandIn({ socket })
    expect(await tester[verb](call({ conf: { cniVersion: '1.1.0' } }))).toMatchObject({ exitCode: 0, stdout: '' })
    daemon.fault = '500 with text'
    expect((await tester[verb](call({ conf: { cniVersion: '1.1.0' } }))).error?.msg).toBe('Contiv:daemon unreachable')
  })

  it('DEL may be repeated, and may come without an ADD', async () => {
    await using daemon = await startStandIn({ socket })
    expect((await tester.del(call())).exitCode).toBe(0)
    await tester.add(call())
    for (let time = 0; time < 2; time += 1) expect((await tester.del(call())).exitCode).toBe(0)
    expect(daemon.endpoints.size).toBe(0)
  })
})

describe('the configuration', () => {
  it('needs no member of its own: the socket has its default path', async () => {
    const { error } = await tester.add(call({ conf: { contiv: { log_file: '' } } }))
    expect(error?.details).toContain('/run/contiv/contiv-cni.sock')
  })

  it.each([
    [{ socket: 'contiv.sock' }, 'contiv.socket'],
    [{ socket: 5 }, 'contiv.socket'],
    [{ unreachable_del: 'maybe' }, 'contiv.unreachable_del'],
  ])('%j is rejected by ADD, and the error names the member; DEL succeeds', async (contiv, member) => {
    expect((await tester.add(call({ conf: { contiv } }))).error).toMatchObject({
      code: 7,
      msg: expect.stringContaining(member),
    })
    expect(await tester.del(call({ conf: { contiv } }))).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it('is not needed for VERSION, and neither is CNI_ARGS', async () => {
    const { exitCode, stdout } = await tester.version()
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { cniVersion: '1.1.0' }])
  })
})

describe('the stand-in', () => {
  it('has its socket in a folder of mode 0700, and removes a stale socket', async () => {
    await (await startStandIn({ socket }))[Symbol.asyncDispose]()
    writeFileSync(socket, '')
    await using _ = await startStandIn({ socket })
    expect([lstatSync(socket).isSocket(), lstatSync(dirname(socket)).mode & 0o777]).toEqual([true, 0o700])
  })
})

describe('the log file of the original', () => {
  const lines = (file: string) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))

  it.each([
    ['the process id of a path in /proc', NETNS, '4242'],
    ['any other path as it is', '/run/netns/a', '/run/netns/a'],
    ['EMPTY without a namespace', '', 'EMPTY'],
  ])('has a line for the call with the namespace: %s', async (_title, path, expected) => {
    await using _daemon = await startStandIn({ socket })
    const file = join(folder, 'contivk8s.log')
    const conf = { contiv: { socket, log_file: file } }
    await tester.del(call({ conf, netns: 'none', env: { CNI_NETNS: path } }))
    expect(lines(file)[0]).toMatchObject({ msg: 'called', command: 'DEL', args: ARGS, NETNS: expected })
  })

  it('may be unwritable: the pod starts anyway', async () => {
    await using daemon = await startStandIn({ socket })
    const conf = { contiv: { socket, log_file: join(socket, 'no-folder.log') } }
    expect((await tester.add(call({ conf }))).exitCode).toBe(0)
    expect(daemon.requests).toHaveLength(1)
  })
})
