import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Misbehaviour } from '@cni/kube/testing'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { meshPod, plainPod } from '../../src/testing/pods.ts'
import { type NodeAgent, startNodeAgent } from '../stage/node-agent.ts'
import { type CallOptions, type Fixture, fixture } from './fixture.ts'

let node: Fixture
let agent: NodeAgent
beforeEach(async () => {
  node = await fixture(meshPod())
  agent = await startNodeAgent(node.runDir)
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await node[Symbol.asyncDispose]()
})

const logFile = () => join(node.runDir, 'istio-cni.log')
const fileText = () => (existsSync(logFile()) ? readFileSync(logFile(), 'utf8') : '')
const fileLines = () =>
  fileText()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const messages = (lines: ReadonlyArray<{ readonly msg?: unknown }>) => lines.map(({ msg }) => msg)

describe('the lines of a call', () => {
  test('go to stderr, to the file and, in one request at the end, to the node agent', async () => {
    const { log } = await node.call('ADD')
    expect(messages(log)).toContain('traffic is redirected')
    expect(fileLines()).toEqual(log)
    expect(agent.logLines()).toEqual(log)
    expect(agent.logs).toMatchObject([{ line: 'POST /log', contentType: 'application/json' }])
    expect(statSync(logFile()).mode & 0o777).toBe(0o600)
  })

  test('start with level, time with microseconds and message, and name the pod', async () => {
    await node.call('ADD')
    expect(fileText()).toMatch(/^\{"level":"info","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z","msg":"/)
    expect(fileLines()).toContainEqual(expect.objectContaining({ pod: 'demo/web', containerID: 'container-1' }))
  })

  test.each([
    ['debug', true, 0],
    ['info', true, 0],
    ['', true, 0],
    ['warn', false, 0],
    ['error', false, 0],
    ['none', false, 0],
    ['fatal', false, 0],
    ['verbose', true, 1],
  ])('at plugin_log_level %j have the redirection: %s, and warnings: %i', async (plugin_log_level, done, warnings) => {
    const { log } = await node.call('ADD', { conf: { plugin_log_level } })
    expect(messages(log).includes('traffic is redirected')).toBe(done)
    const warned = log.filter(({ level }) => level === 'warn')
    expect(messages(warned)).toEqual(Array(warnings).fill('plugin_log_level "verbose" is unknown: taken as "info"'))
    expect(agent.logs).toHaveLength(log.length > 0 ? 1 : 0)
  })

  test.each([
    ['error', 1],
    ['none', 0],
    ['fatal', 0],
  ])('at plugin_log_level %j: %i lines of a failing ADD', async (plugin_log_level, lines) => {
    node.api.misbehave({ status: 403 })
    const { exitCode, log } = await node.call('ADD', { conf: { plugin_log_level } })
    expect(exitCode).toBe(1)
    expect(log).toHaveLength(lines)
  })

  test('go to stderr only without a run directory', async () => {
    const kubernetes = { kubeconfig: join(node.runDir, 'istio-cni-kubeconfig') }
    const before = readdirSync(node.runDir)
    await node.call('ADD', { conf: { cni_agent_run_dir: '', kubernetes } })
    expect(readdirSync(node.runDir)).toEqual(before)
    expect(agent.logs).toEqual([])
  })
})

describe('an ADD succeeds', () => {
  test.each([
    ['is silent', { hang: true }],
    ['refuses', { status: 500 }],
    ['cuts the connection', { cut: true }],
  ])('while the node agent %s over its log socket', async (_, how) => {
    agent.answerLogs(how)
    expect(await node.call('ADD')).toMatchObject({ exitCode: 0 })
    expect(agent.logs).toHaveLength(1)
    expect(await node.rules()).toContain('ISTIO_OUTPUT')
  })

  test.each([
    ['a log socket nobody listens on any more', 'log.sock'],
    ['a log file in the place of which there is a socket', 'istio-cni.log'],
  ])('with %s', async (_, name) => {
    await agent[Symbol.asyncDispose]()
    writeFileSync(join(node.runDir, 'log.sock'), 'in the way')
    if (name === 'istio-cni.log') {
      const { createServer } = await import('node:net')
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(logFile(), resolve))
      expect(await node.call('ADD')).toMatchObject({ exitCode: 0 })
      server.close()
    } else expect(await node.call('ADD')).toMatchObject({ exitCode: 0 })
  })
})

describe('values from outside cannot break a line', () => {
  const evil = 'x\n{"level":"error","msg":"forged"}\r\u001b[2J\u009b31m\u2028'
  test.each<[string, CallOptions, object]>([
    ['the pod’s name', { env: { CNI_ARGS: `K8S_POD_NAMESPACE=demo;K8S_POD_NAME=${evil}` } }, {}],
    [
      'the name of an agent’s pod',
      {
        conf: { pod_namespace: 'demo' },
        env: { CNI_ARGS: `K8S_POD_NAMESPACE=demo;K8S_POD_NAME=istio-cni-node-${evil}` },
      },
      {},
    ],
    [
      'an excluded namespace',
      { conf: { exclude_namespaces: [evil] }, env: { CNI_ARGS: `K8S_POD_NAMESPACE=${evil};K8S_POD_NAME=x` } },
      {},
    ],
    ['the names of containers', {}, plainPod({ initContainers: [{ name: evil }] })],
    ['the type of the proxy', {}, meshPod({ proxy: { args: ['proxy', evil] } })],
    ['an annotation', {}, meshPod({ annotations: { 'traffic.sidecar.istio.io/includeInboundPorts': evil } })],
    ['a variable of the proxy', {}, meshPod({ proxy: { env: [{ name: 'INVALID_DROP', value: evil }] } })],
    ['the level', { conf: { plugin_log_level: evil } }, {}],
  ])('%s', async (_, options, pod) => {
    if ('metadata' in pod) node.api.setPod(plainOrMesh(pod))
    const { log } = await node.call('ADD', options)
    expect(log.length).toBeGreaterThan(0)
    expect(log).not.toContainEqual(expect.objectContaining({ msg: 'forged' }))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(fileText()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/)
    expect(fileLines()).toEqual(log)
  })

  const plainOrMesh = (pod: object) => Object.assign(plainPod(), pod)
})

test('no file and no log has the token or the authority, also after failures', async () => {
  node.api.token = 'tOkEn-Mark-8c1f2a'
  const echo = (status: number) => ({ status, body: JSON.stringify({ message: `Bearer ${node.api.token} is bad` }) })
  const trouble = fc.constantFrom<Misbehaviour>(
    {},
    echo(400),
    echo(401),
    echo(403),
    { status: 302, headers: { location: 'https://127.0.0.1/x' } },
    { status: 200, body: 'tOkEn-Mark-8c1f2a' },
    { status: 401 },
  )
  const annotations = fc.constantFrom({}, { 'traffic.sidecar.istio.io/includeInboundPorts': 'http' })
  const damage = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.replace('token: ', 'token: "'),
    (text: string) => text.replace('server: https', 'server: nonsense'),
    (text: string) => text.replace(/data: \w{40}/, 'data: ????'),
    (text: string) => text.replace('users:', 'users: {'),
    (text: string) => text.replace('- name: istio-cni', '- name: somebody'),
  )
  const ca = Buffer.from(node.api.ca).toString('base64')
  const secrets = [node.api.token, ca.slice(100, 140), ...node.api.ca.split('\n').slice(1, 4)]
  await fc.assert(
    fc.asyncProperty(trouble, annotations, damage, async (how, own, spoil) => {
      node.api.setPod(meshPod({ annotations: own }))
      const path = node.api.writeKubeconfig(node.runDir)
      writeFileSync(path, spoil(readFileSync(path, 'utf8')))
      node.api.misbehave(how, how)
      const signal = AbortSignal.timeout(1000)
      const { stdout, log } = await node.call('ADD', { conf: { plugin_log_level: 'debug' }, signal })
      node.api.behave()
      const written = [
        stdout,
        JSON.stringify(log),
        fileText(),
        ...agent.logs.map(({ body }) => body),
        JSON.stringify(node.state()),
      ]
      for (const secret of secrets) expect(written.join('\n')).not.toContain(secret)
    }),
    { numRuns: 15 },
  )
})
