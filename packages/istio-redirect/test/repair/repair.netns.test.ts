import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { ownedNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findNetns } from '../../src/agent/repair/find-netns.ts'
import { connectFrom, startProxy } from '../../src/testing/node/stand-ins.ts'
import { mounted, nodeFiles } from '../ambient/node-files.ts'
import { type Fixture, fixture } from '../plugin/fixture.ts'
import { addAddresses, podWith } from '../stage/kernel.ts'
import { inetTablesIn } from '../stage/tables-in.ts'
import { type RepairFixture, type RepairFixtureOptions, repairFixture, validatedPod } from './repair-fixture.ts'

const until = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 })

let children: ChildProcess[]
let files: ReturnType<typeof nodeFiles>
/** A procfs with the processes of the test only. */
let proc: string
beforeEach(() => {
  children = []
  files = nodeFiles()
  proc = files.proc
})
afterEach(async () => {
  files[Symbol.dispose]()
  for (const child of children) {
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }
})

/** Starts a process in a namespace, like a pause container. */
async function pause(target: Netns): Promise<void> {
  const child = netns.run(target, () => spawn('sleep', ['60'], { stdio: 'ignore' }))
  children.push(child)
  await once(child, 'spawn')
  show(child.pid)
}

const show = (pid: number | undefined): void => symlinkSync(`/proc/${pid}`, join(proc, String(pid)))

const rulesOf = async (target: Netns) => (await netns.exec(target, ['iptables-save'])).stdout
const redirected = '-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001'
const repair = (options: RepairFixtureOptions): Promise<RepairFixture> =>
  repairFixture({ hostProc: proc, ...options, config: { repairPods: true, ...options.config } })

describe('a pod that started without the plugin', () => {
  test('is redirected in place, once, and a new pod with the same name is redirected again', async () => {
    await using target = await podWith('10.77.1.2')
    await pause(target)
    await using node = await repair({ pods: [validatedPod(126, {}, { podIP: '10.77.1.2' })] })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect(await rulesOf(target)).toContain(redirected)

    node.api.setPod(validatedPod(126, { labels: { a: 'b' } }, { podIP: '10.77.1.2' }))
    node.api.setPod(validatedPod(126, { name: 'next' }, { podIP: '10.77.1.2' }))
    // Events are in order: the change of the first pod precedes the second repair.
    await until(() => expect(node.pods('repair/success')).toBe(2))
    node.api.deletePod('demo', 'web')
    node.api.setPod(validatedPod(126, {}, { podIP: '10.77.1.2' }))
    await until(() => expect(node.pods('repair/success')).toBe(3))
    expect(node.pods('repair/fail')).toBe(0)
    expect(node.api.requests.every(({ method }) => method === 'GET')).toBe(true)
  })

  test('has its connections captured after the repair', async () => {
    await using target = await podWith('10.77.2.2')
    await pause(target)
    await using proxy = await startProxy(target)
    expect(await connectFrom(target, 1000, [{ host: '10.77.2.2', port: 80 }])).toMatchObject([
      { error: expect.anything() },
    ])
    await using node = await repair({ pods: [validatedPod(126, {}, { podIP: '10.77.2.2' })] })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect(await connectFrom(target, 1000, [{ host: '10.77.2.9', port: 80 }])).toMatchObject([
      { answer: { pid: proxy.pid, original_dst: '10.77.2.9:80' } },
    ])
  })

  test('gets both families, and with TPROXY its routes', async () => {
    await using target = await podWith('10.77.3.2', 'fd77:3::2')
    await pause(target)
    const env = [{ name: 'ISTIO_DUAL_STACK', value: 'true' }]
    const annotations = { 'sidecar.istio.io/interceptionMode': 'TPROXY' }
    const podIPs = [{ ip: '10.77.3.2' }, { ip: 'fd77:3::2' }]
    await using node = await repair({
      pods: [validatedPod(126, { annotations, proxy: { env } }, { podIP: '10.77.3.2', podIPs })],
    })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect((await netns.exec(target, ['ip6tables-save'])).stdout).toContain('TPROXY --on-port 15006')
    expect((await netns.exec(target, ['ip', 'rule', 'show', 'fwmark', '1337'])).stdout).toContain('lookup 133')
  })

  test('is found by a single IPv6 address', async () => {
    await using target = await podWith('fd77:4::2')
    await pause(target)
    await using node = await repair({ pods: [validatedPod(126, {}, { podIP: 'FD77:4:0::2' })] })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect((await netns.exec(target, ['ip6tables-save'])).stdout).toContain(redirected)
  })

  test('may have a user namespace of its own', async () => {
    await using target = await ownedNetns()
    await addAddresses(target, ['10.77.5.2'])
    show(Number(target.path.split('/')[2]))
    await using node = await repair({ pods: [validatedPod(126, {}, { podIP: '10.77.5.2' })] })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect(await rulesOf(target)).toContain('--uid-owner 1337 -j RETURN')
  })

  test('is repaired with the requested back end', async () => {
    await using target = await podWith('10.77.6.2')
    await pause(target)
    await using node = await repair({
      config: { forceIptablesBinary: 'legacy' },
      pods: [validatedPod(126, {}, { podIP: '10.77.6.2' })],
    })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect((await netns.exec(target, ['iptables-legacy-save'])).stdout).toContain(redirected)
    expect((await netns.exec(target, ['iptables-nft-save'])).stdout).not.toContain('ISTIO')
  })

  test('gets native tables once, in place of unrecorded rules of iptables', async () => {
    await using target = await ownedNetns()
    await addAddresses(target, ['10.77.9.2'])
    show(Number(target.path.split('/')[2]))
    await netns.exec(target, ['iptables-nft', '-t', 'nat', '-N', 'ISTIO_OUTPUT'])
    await netns.exec(target, ['iptables-nft', '-t', 'nat', '-A', 'OUTPUT', '-j', 'ISTIO_OUTPUT'])
    await using node = await repair({
      config: { nativeNftables: true },
      pods: [validatedPod(126, {}, { podIP: '10.77.9.2' })],
    })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect(inetTablesIn(target)).toEqual(['istio-proxy-nat'])
    expect(await rulesOf(target)).not.toContain('ISTIO')
  })
})

describe('a pod whose rules were lost', () => {
  let plugin: Fixture
  beforeEach(async () => {
    plugin = await fixture(validatedPod(126, {}, { podIP: '10.77.7.2' }))
    await addAddresses(plugin.netns, ['10.77.7.2'])
    await pause(plugin.netns)
  })
  afterEach(() => plugin[Symbol.asyncDispose]())

  test('is repaired, and its record has the new rules', async () => {
    await plugin.call('ADD')
    const [{ generation: _, ...before } = {}] = plugin.state()
    await plugin.inside('iptables', '-t', 'nat', '-F')
    const annotations = { 'traffic.sidecar.istio.io/excludeOutboundPorts': '3306' }
    await using node = await repair({
      config: { agentRunDir: plugin.runDir },
      pods: [validatedPod(126, { annotations }, { podIP: '10.77.7.2' })],
    })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    const [after, ...more] = plugin.state()
    expect(more).toEqual([])
    expect(after).toMatchObject({ ...before, rules: { excludeOutboundPorts: [3306] } })
    expect(await plugin.call('CHECK')).toMatchObject({ exitCode: 0 })
    expect(await plugin.call('DEL')).toMatchObject({ exitCode: 0 })
    expect(await plugin.rules()).not.toContain('ISTIO')
  })

  test.each([false, true])('is repaired after a change of NATIVE_NFTABLES (from %s)', async (native) => {
    await plugin.call('ADD', { conf: { native_nftables: native } })
    await using node = await repair({
      config: { agentRunDir: plugin.runDir, nativeNftables: !native },
      pods: [validatedPod(126, {}, { podIP: '10.77.7.2' })],
    })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect(plugin.state()).toMatchObject([{ backend: native ? 'nft' : 'nftables', applied: true }])
    expect(inetTablesIn(plugin.netns)).toEqual(native ? [] : ['istio-proxy-nat'])
    expect((await plugin.rules()).includes('ISTIO')).toBe(native)
    expect(await plugin.call('CHECK')).toMatchObject({ exitCode: 0 })
  })

  test('stays without a record if it had none', async () => {
    await using node = await repair({
      config: { agentRunDir: plugin.runDir },
      pods: [validatedPod(126, {}, { podIP: '10.77.7.2' })],
    })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    expect(plugin.state()).toEqual([])
  })
})

describe('a repair fails five times, and changes nothing', () => {
  const bad = (key: string, value: string) => ({ annotations: { [`traffic.sidecar.istio.io/${key}`]: value } })
  test.each<[string, Parameters<typeof validatedPod>[1], object, RegExp]>([
    ['without an address', {}, {}, /failed to parse addr: /],
    ['with an invalid address', {}, { podIP: '10.77.8.2/24', podIPs: [null, 7, { ip: [] }] }, /failed to parse addr: /],
    [
      'with an address that every namespace has',
      {},
      { podIP: '127.0.0.1', podIPs: [{ ip: '::' }] },
      /failed to parse addr: /,
    ],
    ['with an unknown address', {}, { podIP: '10.77.8.9' }, /failed to find network namespace/],
    [
      'with a second address that is unknown',
      {},
      { podIP: '10.77.8.2', podIPs: [{ ip: '10.77.8.9' }] },
      /failed to find/,
    ],
    ['on the network of the node', { hostNetwork: true }, { podIP: '10.77.8.2' }, /the host network/],
    ['for a bad port', bad('excludeInboundPorts', '80;reboot'), { podIP: '10.77.8.2' }, /excludeInboundPorts/],
    ['for a hostile range', bad('includeOutboundIPRanges', '$(id)'), { podIP: '10.77.8.2' }, /includeOutboundIPRanges/],
    [
      'where the plugin would do nothing',
      { annotations: { 'sidecar.istio.io/inject': 'false' } },
      { podIP: '10.77.8.2' },
      /the plugin would not redirect this pod/,
    ],
    ['with invalid containers', {}, { podIP: '10.77.8.2', broken: true }, /not a pod: spec.containers/],
  ])('%s', async (_, options, status, message) => {
    await using target = await podWith('10.77.8.2')
    await pause(target)
    const pod = validatedPod(126, options, status)
    const odd = 'broken' in status ? { ...pod, spec: { ...pod.spec, containers: 'x' as never } } : pod
    await using node = await repair({ pods: [odd] })
    await until(() => expect(node.pods('repair/fail')).toBe(5))
    expect(node.log.filter((line) => message.test(line)).length).toBeGreaterThanOrEqual(5)
    expect(await rulesOf(target)).toBe('')
  })

  test('when the rules cannot be written, and restores the earlier rules', async () => {
    await using target = await podWith('10.77.9.2', 'fd77:9::2')
    await pause(target)
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('PATH', '/nonexistent')
    await using node = await repair({
      pods: [validatedPod(126, {}, { podIP: '10.77.9.2' })],
      config: { forceIptablesBinary: 'legacy' },
    })
    await until(() => expect(node.pods('repair/fail')).toBe(5))
    vi.unstubAllEnvs()
    expect(node.log).toContainEqual(expect.stringContaining('iptables-legacy-restore is not installed'))
    // A change of the pod triggers the next repair, which succeeds.
    node.api.setPod(validatedPod(126, {}, { podIP: '10.77.9.2' }))
    await until(() => expect(node.pods('repair/success')).toBe(1))
  })
})

test('a pod whose init container keeps failing, without a pause container, is found by its mount', async () => {
  await using target = await podWith('10.77.20.2')
  using _mount = mounted(files.root, '0c1c8f2e', target)
  await using node = await repair({ pods: [validatedPod(126, {}, { podIP: '10.77.20.2' })] })
  await until(() => expect(node.pods('repair/success')).toBe(1))
  expect(await rulesOf(target)).toContain(redirected)
})

describe('the namespace of a pod', () => {
  /** Adds a made-up process to procfs. */
  const shows = (pid: string, namespace: string, startTime?: number) => {
    mkdirSync(join(proc, pid, 'ns'), { recursive: true })
    symlinkSync(namespace, join(proc, pid, 'ns/net'))
    const fields = `S ${Array.from({ length: 18 }, () => '0').join(' ')} ${startTime} 0`
    if (startTime !== undefined) writeFileSync(join(proc, pid, 'stat'), `${pid} (a) b) ${fields}`)
  }

  test('is never the namespace of the node', async () => {
    await using target = await podWith('10.77.10.2')
    rmSync(join(proc, '1'), { recursive: true })
    shows('1', target.path)
    shows('7', target.path, 5)
    await expect(findNetns(['10.77.10.2'], proc)).rejects.toThrow('failed to find network namespace')
    rmSync(join(proc, '1'), { recursive: true })
    await expect(findNetns(['10.77.10.2'], proc)).rejects.toThrow("cannot find the node's own network namespace")
  })

  test('is found by the oldest process, if several have the address', async () => {
    await using older = await podWith('10.77.11.2')
    await using younger = await podWith('10.77.11.2')
    shows('20', younger.path, 900)
    shows('21', younger.path)
    shows('30', older.path, 1000)
    shows('31', older.path, 100)
    shows('40', '/proc/self/ns/mnt', 1)
    shows('50', '/nowhere', 1)
    using found = await findNetns(['10.77.11.2'], proc)
    expect(found.isSame(older)).toBe(true)
  })

  test('leaves no open descriptor', async () => {
    await using target = await podWith('10.77.12.2')
    await pause(target)
    const open = () => descriptors().filter((link) => link.startsWith('net:')).length
    const before = open()
    await expect(findNetns(['10.77.12.9'], proc)).rejects.toThrow('failed to find')
    for (let n = 0; n < 3; n += 1) (await findNetns(['10.77.12.2'], proc)).close()
    expect(open()).toBe(before)
  })
})

const descriptors = (): string[] =>
  readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd))
    } catch {
      return '' // the descriptor of this listing
    }
  })
