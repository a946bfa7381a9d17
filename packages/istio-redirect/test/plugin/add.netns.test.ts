import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod, plainPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod())
})
afterEach(() => node[Symbol.asyncDispose]())

const redirected = '-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001'
const dualStack = { proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } }
const count = (text: string, part: string) => text.split(part).length - 1
const own = async () => (await node.rules()).match(/ISTIO/g) ?? []

/** Removes the count of nf_tables changes from a record: only an ADD into an empty namespace records the count. */
const withoutCount = (state: readonly unknown[]): readonly unknown[] =>
  state.map((each) => Object.assign({}, each, { generation: undefined, first: undefined }))

describe('ADD redirects a pod with a sidecar', () => {
  test('and passes the previous result on', async () => {
    const { exitCode, document } = await node.call('ADD')
    expect({ exitCode, document }).toEqual({ exitCode: 0, document: prevResult('10.1.2.3/24') })
    const rules = await node.rules()
    expect(rules).toContain(redirected)
    expect(rules).toContain('-A ISTIO_IN_REDIRECT -p tcp -j REDIRECT --to-ports 15006')
    expect(rules).toContain('-A ISTIO_OUTPUT -m owner --uid-owner 1337 -j RETURN')
    expect(node.api.requests).toHaveLength(1)
  })

  test('according to its annotations', async () => {
    const annotations = {
      'traffic.sidecar.istio.io/includeInboundPorts': '8080, 9090',
      'traffic.sidecar.istio.io/excludeOutboundPorts': '3306',
      'traffic.sidecar.istio.io/includeOutboundIPRanges': '10.96.0.0/12',
    }
    node.api.setPod(meshPod({ annotations, proxy: { securityContext: { runAsUser: 2000 } } }))
    expect(await node.call('ADD')).toMatchObject({ exitCode: 0 })
    const rules = await node.rules()
    for (const rule of [
      '-A ISTIO_INBOUND -p tcp -m tcp --dport 9090 -j ISTIO_IN_REDIRECT',
      '-A ISTIO_OUTPUT -p tcp -m tcp --dport 3306 -j RETURN',
      '-A ISTIO_OUTPUT -d 10.96.0.0/12 -j ISTIO_REDIRECT',
      '--uid-owner 2000 ',
      '--gid-owner 1337 ',
    ]) {
      expect(rules).toContain(rule)
    }
  })

  test('and records its rules before it writes them', async () => {
    await node.call('ADD')
    expect(node.state()).toEqual([
      expect.objectContaining({
        v: 1,
        network: 'pods',
        containerID: 'container-1',
        ifName: 'eth0',
        netns: { dev: Number(node.netns.dev), ino: Number(node.netns.ino) },
        backend: expect.stringMatching(/^(?:nft|legacy)$/),
        families: ['ipv4'],
        tproxy: null,
        applied: true,
      }),
    ])
  })

  test('and a repeated ADD writes nothing', async () => {
    const ruleset = () => node.inside('nft', '-a', 'list', 'ruleset')
    await node.call('ADD')
    const before = { rules: await node.rules(), handles: await ruleset(), state: withoutCount(node.state()) }
    expect(await node.call('ADD')).toMatchObject({ exitCode: 0 })
    expect({ rules: await node.rules(), handles: await ruleset(), state: withoutCount(node.state()) }).toEqual(before)
  })

  test('and a repeated ADD restores a removed rule', async () => {
    await node.call('ADD')
    const before = await node.rules()
    await node.inside('iptables', '-t', 'nat', '-F', 'ISTIO_OUTPUT')
    expect(await node.call('ADD')).toMatchObject({ exitCode: 0 })
    expect(await node.rules()).toBe(before)
  })

  test('and a repeated ADD completes an ADD that was killed half way', async () => {
    await node.call('ADD')
    const before = await node.rules()
    await node.inside('iptables', '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT')
    const [state] = node.state()
    writeStateFile({ ...state, applied: false, backend: null })
    expect(await node.call('ADD')).toMatchObject({ exitCode: 0 })
    expect(await node.rules()).toBe(before)
    expect(withoutCount(node.state())).toEqual(withoutCount([state]))
  })

  test('without a run directory for its state, if the kubeconfig is elsewhere', async () => {
    const kubernetes = { kubeconfig: join(node.runDir, 'istio-cni-kubeconfig') }
    expect(await node.call('ADD', { conf: { cni_agent_run_dir: '', kubernetes } })).toMatchObject({ exitCode: 0 })
    expect(await node.rules()).toContain(redirected)
    expect(node.state()).toEqual([])
  })
})

describe('ADD ignores', () => {
  test('variables of the environment about proxies, trust and dry runs', async () => {
    const dryRun = join(node.runDir, 'dry-run')
    const nobody = 'http://127.0.0.1:1'
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, nobody)
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    vi.stubEnv('DRY_RUN_FILE_PATH', dryRun)
    expect(await node.call('ADD', { env: process.env })).toMatchObject({ exitCode: 0 })
    expect(await node.rules()).toContain(redirected)
    expect(existsSync(dryRun)).toBe(false)
  })

  test('a key in another case, which Go accepts, and warns', async () => {
    const { exitCode, log } = await node.call('ADD', { conf: { Exclude_Namespaces: ['demo'] } })
    expect(exitCode).toBe(0)
    expect(log).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: '"Exclude_Namespaces" is ignored: write exclude_namespaces' }),
    )
    expect(await node.rules()).toContain(redirected)
  })
})

describe('ADD captures the families of the pod', () => {
  test.each([
    ['IPv4', ['10.1.2.3/24'], {}, 1, []],
    ['IPv6, where IPv4 rules are written all the same', ['fd00::5/64'], {}, 2, ['::6/128']],
    ['IPv4 only, when a dual-stack pod does not say so', ['10.1.2.3/24', 'fd00::5/64'], {}, 1, []],
    ['both, when it does', ['10.1.2.3/24', 'fd00::5/64'], dualStack, 2, ['::6/128']],
  ])('%s', async (_, addresses, pod, families, loopback) => {
    node.api.setPod(meshPod(pod))
    const outcome = await node.call('ADD', { conf: { prevResult: prevResult(...addresses) } })
    expect(outcome).toMatchObject({ exitCode: 0 })
    expect(count(await node.rules(), redirected)).toBe(families)
    const lo = await node.inside('ip', '-6', '-o', 'addr', 'show', 'dev', 'lo')
    expect(lo.match(/::6\/128/g) ?? []).toEqual(loopback)
    const warned = outcome.log.some(({ level, msg }) => level === 'warn' && msg.includes('ISTIO_DUAL_STACK'))
    expect(warned).toBe(addresses.length > families)
  })

  test('from the namespace when there is no previous result', async () => {
    await node.inside('ip', 'addr', 'add', 'fd00::5/64', 'dev', 'lo', 'nodad')
    const { exitCode, document } = await node.call('ADD', { conf: { prevResult: undefined } })
    expect({ exitCode, document }).toEqual({ exitCode: 0, document: { cniVersion: '1.0.0' } })
    expect(count(await node.rules(), redirected)).toBe(2)
  })

  test('and fails with a message when the pod has no address', async () => {
    const outcome = await node.call('ADD', { conf: { prevResult: undefined } })
    expect(outcome).toMatchObject({ exitCode: 1, document: { msg: 'no valid local IP address found' } })
    expect(await own()).toEqual([])
  })
})

describe('ADD skips a pod without a rule, a record or an error', () => {
  test.each([
    ['that is no Kubernetes pod', { env: { CNI_ARGS: 'K8S_POD_NAME=web' } }, 0],
    [
      'in an excluded namespace, with the agent down',
      { conf: { exclude_namespaces: ['demo'], cni_agent_run_dir: '/nowhere' } },
      0,
    ],
    [
      'that the runtime says has no sidecar',
      { conf: { runtimeConfig: { 'io.kubernetes.cri.pod-annotations': { a: 'b' } } } },
      0,
    ],
    ['without a sidecar', {}, 1],
    ['without a sidecar that ambient mode does not choose either', { conf: ambient() }, 1],
  ])('%s', async (_, options, requests) => {
    node.api.setPod(plainPod())
    const { exitCode, document } = await node.call('ADD', options)
    expect({ exitCode, document }).toEqual({ exitCode: 0, document: prevResult('10.1.2.3/24') })
    expect(await own()).toEqual([])
    expect(node.state()).toEqual([])
    expect(node.api.requests).toHaveLength(requests)
  })

  test('but redirects a pod with a sidecar in ambient mode too', async () => {
    expect(await node.call('ADD', { conf: { ...ambient(), enable_ambient_detection_retry: true } })).toMatchObject({
      exitCode: 0,
    })
    expect(await node.rules()).toContain(redirected)
  })
})

describe('ADD names the cause of its failure and leaves nothing behind', () => {
  const annotation = (key: string, value: string) => ({ annotations: { [key]: value } })
  const inbound = 'traffic.sidecar.istio.io/includeInboundPorts'
  const outbound = 'traffic.sidecar.istio.io/includeOutboundIPRanges'
  const mode = 'sidecar.istio.io/interceptionMode'
  test.each([
    [inbound, '80 -j ACCEPT'],
    [inbound, '80\n-A OUTPUT -j ACCEPT'],
    [inbound, '"80"'],
    [inbound, '80,'],
    [outbound, '10.0.0.0/8\nCOMMIT'],
    [outbound, '10.0.0.0/8 -j ACCEPT'],
    ['traffic.sidecar.istio.io/excludeOutboundPorts', '*'],
    ['traffic.sidecar.istio.io/excludeInterfaces', "eth0' -j ACCEPT #"],
    [mode, 'NOPE'],
  ])('annotation %s with the value %j', async (key, value) => {
    node.api.setPod(meshPod(annotation(key, value)))
    const { exitCode, document } = await node.call('ADD')
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code: 7, msg: expect.stringContaining(key) },
    })
    expect(await node.rules()).toBe('')
    expect(node.state()).toEqual([])
  })

  test.each([
    ['a missing kubeconfig', { conf: { cni_agent_run_dir: '/nowhere' } }, 11, '/nowhere/istio-cni-kubeconfig'],
    ['no run directory', { conf: { cni_agent_run_dir: '' } }, 7, 'cni_agent_run_dir'],
    ['a hostile pod name', { env: { CNI_ARGS: 'K8S_POD_NAMESPACE=demo;K8S_POD_NAME=../../secrets/x' } }, 4, 'CNI_ARGS'],
    [
      'a run directory below whatever the working directory is',
      { conf: { cni_agent_run_dir: 'run' } },
      7,
      'cni_agent_run_dir',
    ],
    ['a misspelt selector', { conf: { enablement_selectors: [{ podSelektor: {} }] } }, 7, 'podSelektor'],
    [
      'a selector that Kubernetes would not accept',
      { conf: { enablement_selectors: [{ podSelector: { matchLabels: { a: 'b c' } } }] } },
      7,
      'enablement_selectors[0].podSelector: "b c" cannot be the value of a label',
    ],
    ['a wrong type', { conf: { ambient_enabled: 'true' } }, 7, 'ambient_enabled'],
  ])('%s', async (_, options, code, text) => {
    const { exitCode, document } = await node.call('ADD', options)
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code, msg: expect.stringContaining(text) },
    })
    expect(await node.rules()).toBe('')
    expect(node.state()).toEqual([])
  })

  test('an API server that does not answer', async () => {
    node.api.misbehave({ hang: true })
    const { exitCode, document } = await node.call('ADD', { signal: AbortSignal.timeout(300) })
    expect({ exitCode, document }).toMatchObject({ exitCode: 1, document: { code: 11 } })
    expect(await node.rules()).toBe('')
  })

  test.each([
    ['redirects', [302], 50, /: 302/, undefined],
    ['refuses the permission', [403], 50, /pod demo\/web/, /needs "get" on pods/],
    ['refuses the token, twice', [401, 401], 11, /pod demo\/web/, /renews the token/],
  ])('an API server that %s', async (_, answers, code, msg, details) => {
    const headers = { location: `${node.api.url}/api/v1/namespaces/demo/pods/other` }
    node.api.misbehave(...answers.map((status) => ({ status, headers })))
    const { exitCode, document } = await node.call('ADD')
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code, msg: expect.stringMatching(msg), ...(details && { details: expect.stringMatching(details) }) },
    })
    expect(node.api.requests).toHaveLength(answers.length)
    expect(await node.rules()).toBe('')
  })

  test('an expired token is no failure if the agent has written a new one meanwhile', async () => {
    const stale = node.api.token
    node.api.token = 'renewed'
    const watch = setInterval(() => {
      if (node.api.requests.length > 0) node.api.writeKubeconfig(node.runDir)
    }, 0)
    node.api.misbehave({ status: 401, delayMs: 50 })
    const outcome = await node.call('ADD')
    clearInterval(watch)
    expect(outcome).toMatchObject({ exitCode: 0 })
    const tokens = node.api.requests.map(({ headers }) => headers.authorization)
    expect(tokens).toEqual([`Bearer ${stale}`, 'Bearer renewed'])
  })

  test('a state that cannot be written', async () => {
    writeFileSync(join(node.runDir, 'attachments'), 'in the way')
    const { exitCode, document } = await node.call('ADD')
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { msg: expect.stringContaining('attachments') },
    })
    expect(await node.rules()).toBe('')
  })

  test('a failure after the rules are written', async () => {
    node.api.setPod(meshPod(annotation(mode, 'TPROXY')))
    await node.inside('ip', 'link', 'set', 'lo', 'down')
    const { exitCode, document } = await node.call('ADD', { conf: { prevResult: prevResult('fd00::5/64') } })
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: {
        code: 5,
        msg: expect.stringMatching(/^Add route "default": ENETDOWN/),
        details: expect.stringContaining('lo has to be up before'),
      },
    })
    expect(await own()).toEqual([])
    expect(node.state()).toEqual([])
  })

  test('a second ADD that fails restores the rules of the first ADD', async () => {
    await node.call('ADD')
    const before = { rules: await node.rules(), state: node.state() }
    await node.inside('ip', 'link', 'set', 'lo', 'down')
    node.api.setPod(meshPod({ annotations: { [inbound]: '8080', [mode]: 'TPROXY' } }))
    expect(await node.call('ADD', { conf: { prevResult: prevResult('fd00::5/64') } })).toMatchObject({ exitCode: 1 })
    const left = (await node.rules()).replace(/^\*(?:nat|mangle)\n(?::\w+ ACCEPT \[0:0\]\n)*COMMIT\n/gm, '')
    expect({ rules: left, state: node.state() }).toEqual(before)
  })
})

function ambient() {
  const enablement_selectors = [{ podSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } }]
  return { ambient_enabled: true, enablement_selectors }
}

function writeStateFile(state: unknown): void {
  const [file = ''] = readdirSync(join(node.runDir, 'attachments'))
  writeFileSync(join(node.runDir, 'attachments', file), JSON.stringify(state))
}
