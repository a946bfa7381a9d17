import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { iptablesSide } from '../../../../istio-node-level/src/iptables/iptables-side.ts'
import { tunnelKind } from '../../../../istio-node-level/test/kinds.ts'
import { addresses, ptpNode } from '../../../../istio-node-level/test/ptp-node.ts'
import { defaultProbeSource } from '../../../../istio-rules/src/ambient/pod-rules.ts'
import { enrolNamespace } from '../../../src/agent/ambient/namespace/enrol-namespace.ts'
import { machine } from '../../../src/tools/system.ts'
import { tools } from '../../tools/tools-io.ts'

const mode = 'istio.io/dataplane-mode'
const redirection = 'ambient.istio.io/redirection'

let folder: string
let place: Awaited<ReturnType<typeof tempNetns>>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
  place = await tempNetns()
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await place[Symbol.asyncDispose]()
})

interface Described {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly uid?: string
  readonly ip?: string
}

/** The output of `kubectl get pod/web ns/shop -o json`. */
function fileOf({ labels, annotations, uid = 'uid-1', ip }: Described, namespaceLabels = {}): string {
  const path = join(folder, 'pod.json')
  const pod = {
    kind: 'Pod',
    metadata: { namespace: 'shop', name: 'web', uid, labels, annotations },
    status: { podIP: ip },
  }
  const namespace = { kind: 'Namespace', metadata: { name: 'shop', labels: namespaceLabels } }
  writeFileSync(path, JSON.stringify({ kind: 'List', items: [pod, namespace] }))
  return path
}

const enrolled: Described = { annotations: { [redirection]: 'enabled' } }
const check = (file: string, env: Readonly<Record<string, string>> = {}, ...flags: readonly string[]) =>
  tools(['check', '--ambient', '--pod', file, '--netns', place.path, ...flags], { env, system: machine })

const capture = (ipv6: boolean) => ({
  ipv6,
  dnsCapture: false,
  bypassInbound: false,
  virtualInterfaces: [],
  probeSource: defaultProbeSource,
})

/** Opens listening sockets as ztunnel does in the pod. */
async function listen(...ports: readonly number[]): Promise<void> {
  const script = `for (const port of ${JSON.stringify(ports)}) require('net').createServer().listen(port, '::', () => console.log(port))`
  const child = netns.run(place, () =>
    spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  onTestFinished(() => void child.kill())
  let text = ''
  for await (const piece of child.stdout) {
    text += piece
    if (text.trim().split('\n').length === ports.length) return
  }
}

describe('check --ambient', () => {
  test.each([{ NATIVE_NFTABLES: 'true' }, { FORCE_IPTABLES_BINARY: 'nft' }, { FORCE_IPTABLES_BINARY: 'legacy' }])(
    'reports that a mesh pod is as expected, and reports changes by other programs (%j)',
    async (env) => {
      const native = 'NATIVE_NFTABLES' in env
      const backend =
        'FORCE_IPTABLES_BINARY' in env && env.FORCE_IPTABLES_BINARY === 'legacy' ? 'iptables-legacy' : 'iptables-nft'
      await enrolNamespace(place, capture(true), { native, backend })
      await listen(15001, 15006, 15008)
      const file = fileOf(enrolled, { [mode]: 'ambient' })
      const ambient = { ...env, AMBIENT_IPV6: 'true' }
      expect(await check(file, ambient)).toMatchObject({ exitCode: 0, stdout: 'shop/web: enrolled, as it should be\n' })
      await netns.exec(place, ['ip', 'rule', 'del', 'pref', '32764'])
      if (native) await netns.exec(place, ['nft', 'delete table inet istio-ambient-mangle'])
      else await netns.exec(place, [backend, '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT'])
      const { exitCode, stdout } = await check(file, ambient)
      expect([exitCode, stdout.split('\n').slice(0, 2)]).toEqual([
        4,
        [
          'shop/web belongs to the mesh: enablement selector 2 chooses it',
          'missing ipv4 rule: fwmark 0x111/0xfff lookup 100',
        ],
      ])
      expect(stdout).toContain(native ? 'istio-ambient-mangle' : 'missing ipv4 nat: -A OUTPUT -j ISTIO_OUTPUT')
    },
  )

  test('reports a pod that should be in the mesh and is not, also as JSON', async () => {
    await enrolNamespace(place, capture(false))
    await listen(15001, 15008)
    const file = fileOf({ labels: { [mode]: 'ambient' }, annotations: { [redirection]: 'pending' } })
    const drift = [
      'missing listener of ztunnel on port 15006',
      'annotation ambient.istio.io/redirection is pending, not enabled',
    ]
    const heading = 'shop/web belongs to the mesh: enablement selector 1 chooses it'
    expect(await check(file)).toMatchObject({ exitCode: 4, stdout: [heading, ...drift, ''].join('\n') })
    const { stdout } = await check(file, {}, '--json')
    expect(JSON.parse(stdout)).toEqual({
      pod: 'shop/web',
      enrolled: true,
      why: 'enablement selector 1 chooses it',
      clean: false,
      drift,
    })
  })

  test('reports rules of an earlier enrolment in a pod outside the mesh', async () => {
    const file = fileOf({ labels: { [mode]: 'none' } }, { [mode]: 'ambient' })
    expect(await check(file)).toMatchObject({
      exitCode: 3,
      stderr: 'shop/web is not in the mesh, as it should be: no enablement selector chooses it\n',
    })
    await enrolNamespace(place, capture(false))
    const { exitCode, stdout } = await check(file)
    expect(exitCode).toBe(4)
    expect(stdout).toContain('shop/web does not belong to the mesh: no enablement selector chooses it\n')
    expect(stdout).toContain('unexpected ipv4 rule: fwmark 0x111/0xfff lookup 100\n')
    expect(stdout).toContain('unexpected ipv4 nat: -A OUTPUT -j ISTIO_OUTPUT\n')
  })

  test('ignores the chains of a sidecar, which have the same names', async () => {
    await netns.exec(place, ['iptables', '-t', 'nat', '-N', 'ISTIO_OUTPUT'])
    const file = fileOf({ annotations: { 'sidecar.istio.io/status': '{}' } }, { [mode]: 'ambient' })
    expect(await check(file)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('it has a sidecar') })
  })

  test('takes namespaces and selectors from the plugin’s configuration and from files', async () => {
    const file = fileOf(enrolled)
    const namespace = join(folder, 'namespace.yaml')
    writeFileSync(namespace, `kind: Namespace\nmetadata: {name: shop, labels: {mesh: "on"}}\n`)
    const netconf = join(folder, 'netconf.json')
    const selectors = [{ namespaceSelector: { matchLabels: { mesh: 'on' } } }]
    const conf = { name: 'k8s', type: 'istio-cni', ambient_enabled: true, enablement_selectors: selectors }
    writeFileSync(netconf, JSON.stringify(conf))
    expect(await check(file, {}, '--netconf', netconf)).toMatchObject({ exitCode: 3 })
    const chosen = await check(file, {}, '--netconf', netconf, '--namespace', namespace)
    expect(chosen.stdout).toContain('belongs to the mesh: enablement selector 1 chooses it')
  })

  test('requires a pod of a cluster, and --namespace requires it too', async () => {
    expect(await check(fileOf({ uid: '' }))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('shop/web is not a complete pod: namespace, name and uid are required'),
    })
    const file = fileOf(enrolled)
    const argv = ['check', '--pod', file, '--netns', place.path, '--namespace', file]
    expect(await tools(argv, { system: machine })).toMatchObject({ exitCode: 2 })
  })
})

describe('a pod that is redirected on the node', () => {
  const env = { AMBIENT_REDIRECT_MODE: 'node-iptables' }
  const inMesh = { [mode]: 'ambient' }
  const at = (file: string, node: { readonly path: string }) =>
    tools(['check', '--ambient', '--pod', file, '--netns', node.path], { env, system: machine })

  test('is in the mesh as expected, and missing, stale and foreign entries are named', async () => {
    await using on = await ptpNode()
    const { node } = on.at
    const side = iptablesSide({ netns: node, hostIp: addresses.node, tunnel: await tunnelKind() })
    await side.start(on.ztunnel)
    await side.addPod({ uid: 'uid-1', addresses: [addresses.app] })
    const file = fileOf({ ...enrolled, ip: addresses.app }, inMesh)
    expect(await at(file, node)).toMatchObject({ exitCode: 0, stdout: 'shop/web: enrolled, as it should be\n' })
    await on.ip('route', 'del', `${addresses.app}/32`, 'table', '100')
    const missing = `missing ${addresses.app}/32 in table 100, by istioin\n`
    expect(await at(file, node)).toMatchObject({ exitCode: 4, stdout: expect.stringContaining(missing) })
    const other = await at(fileOf({ ...enrolled, uid: 'uid-2', ip: addresses.app }, inMesh), node)
    expect(other.stdout).toContain(`${addresses.app} in set ztunnel-pods-ips belongs to pod uid-1`)
    const outside = fileOf({ annotations: { [redirection]: 'disabled' }, ip: addresses.app }, inMesh)
    const stale = `unexpected ${addresses.app} in set ztunnel-pods-ips\n`
    expect(await at(outside, node)).toMatchObject({ exitCode: 4, stdout: expect.stringContaining(stale) })
    await side.stop()
    expect(await at(outside, node)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('says disabled') })
    const gone = await at(fileOf({ ...enrolled, ip: addresses.app }, inMesh), node)
    expect(gone.stdout).toContain(`missing ${addresses.app} in set ztunnel-pods-ips\n`)
  })
})
