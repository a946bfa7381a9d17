import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { addPlugin, callPlugin, isPluginError } from '@cni/invoke'
import { netns } from '@cni/netns'
import { openNft } from '@cni/nftables/wire'
import { toErrorDocument } from '@cni/types'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ANY_RUNTIME, COMPILED, RUNTIMES } from '../../stage/executables.ts'
import { addLo, suiteBed, type TestBed, testBed } from './pod.ts'

/** Configuration of the plugin's own call, without the chain before it. */
const alone = (bed: TestBed, result: unknown) => {
  const [, entry] = bed.node.conflist.plugins
  const conf = { ...entry, cniVersion: '1.0.0', name: 'demo', prevResult: result }
  const call = { ...bed.attachment, path: [bed.node.binDir] }
  return { conf, call }
}
const failure = async (attempt: Promise<unknown>) =>
  toErrorDocument(
    await attempt.then(
      () => undefined,
      (error) => error,
    ),
  )

it.each(RUNTIMES)(
  'ADD, CHECK and DEL succeed, only ADD asks the API server, and DEL leaves nothing (%s)',
  async (_, plugin) => {
    await using bed = await testBed(plugin)
    const { node, attachment } = bed
    await bed.add()
    expect(await bed.save()).toContain('-A OUTPUT -j ISTIO_OUTPUT')
    expect(await bed.save('ip6tables-save')).toContain('-A OUTPUT -j ISTIO_OUTPUT')
    expect(node.stateFiles()).toHaveLength(1)
    await node.runtime.check(node.conflist, attachment)
    await node.runtime.del(node.conflist, attachment)
    expect(await bed.save()).not.toContain('ISTIO_')
    expect(await bed.save('ip6tables-save')).not.toContain('ISTIO_')
    expect(node.stateFiles()).toEqual([])
    expect(node.leases()).toEqual([])
    expect(Object.keys(netns.run(bed.pod, () => networkInterfaces()))).not.toContain('eth0')
    expect(node.api.requests.map(({ url }) => url)).toEqual(['/api/v1/namespaces/demo/pods/web'])
  },
)

describe.each(ANY_RUNTIME)('the life of an attachment (%s)', (_, plugin) => {
  const shared = suiteBed(plugin)
  afterEach(async () => {
    const { node, attachment } = shared()
    await node.runtime.del(node.conflist, attachment)
  })

  it('a repeated ADD succeeds and changes nothing', async () => {
    const bed = shared()
    const { result } = await bed.add()
    const rules = withoutDates(await bed.save())
    const { conf, call } = alone(bed, result)
    await netns.run(bed.nodeNetns, () => ({ done: addPlugin('istio-cni', conf, call) })).done
    expect(withoutDates(await bed.save())).toBe(rules)
  })

  it.each([
    ['a jump is deleted', ['-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT'], '-A OUTPUT -j ISTIO_OUTPUT'],
    ['a rule is added to our chain', ['-t', 'nat', '-I', 'ISTIO_OUTPUT', '1', '-j', 'ACCEPT'], 'ACCEPT'],
    ['our chain is flushed', ['-t', 'nat', '-F', 'ISTIO_REDIRECT'], '-A ISTIO_REDIRECT'],
  ] as const)(
    'CHECK fails with code 100 and the difference when %s; a repeated ADD repairs it',
    async (_, args, line) => {
      const bed = shared()
      const { result } = await bed.add()
      await netns.exec(bed.pod, ['iptables', ...args])
      const { code, details } = await failure(bed.node.runtime.check(bed.node.conflist, bed.attachment))
      expect(code).toBe(100)
      expect(details).toContain(line)
      const { conf, call } = alone(bed, result)
      await netns.run(bed.nodeNetns, () => ({ done: addPlugin('istio-cni', conf, call) })).done
      await bed.node.runtime.check(bed.node.conflist, bed.attachment)
    },
  )

  it('DEL may be repeated, and works without netns and without prevResult', async () => {
    const bed = shared()
    await bed.add()
    const { conf, call } = alone(bed, undefined)
    for (const path of [bed.pod.path, '', '/run/netns/gone']) {
      await callPlugin('DEL', 'istio-cni', conf, { ...call, netns: path })
    }
    expect(await bed.save()).not.toContain('ISTIO_')
  })

  it('DEL with an invalid configuration succeeds', async () => {
    const bed = shared()
    const { conf, call } = alone(bed, undefined)
    await callPlugin('DEL', 'istio-cni', { ...conf, cni_agent_run_dir: 7, exclude_namespaces: 'all' }, call)
  })
})

describe.each([
  ['iptables', {}, [1, 4, 7, 10, 13, 16, 20, 25, 30]],
  ['native nftables', { native_nftables: true }, [7, 13, 20, 25, 30]],
])('a killed ADD, by %s,', (_, own, moments) => {
  const shared = suiteBed(() => COMPILED, { conf: own })
  beforeAll(() => addLo(shared()))
  afterEach(async () => {
    const { conf, call } = alone(shared(), undefined)
    await callPlugin('DEL', 'istio-cni', conf, call)
  })

  // Moments from before the first line of code to after the last write.
  it.each(moments)('after %i ms can be repeated, and then checked', async (ms) => {
    const bed = shared()
    const { conf, call } = alone(bed, undefined)
    await killedAdd(bed, ms)
    await netns.run(bed.nodeNetns, () => ({ done: addPlugin('istio-cni', conf, call) })).done
    await callPlugin('CHECK', 'istio-cni', conf, call)
  })

  it.each(moments)('after %i ms can be deleted, and leaves nothing', async (ms) => {
    const bed = shared()
    const { conf, call } = alone(bed, undefined)
    await killedAdd(bed, ms)
    await callPlugin('DEL', 'istio-cni', conf, call)
    expect(await bed.save()).not.toContain('ISTIO_')
    {
      using nft = openNft(bed.pod)
      expect(nft.tables({ family: 'inet' })).toEqual([])
    }
    expect(bed.node.stateFiles()).toEqual([])
  })
})

describe('the node itself', () => {
  const shared = suiteBed(() => COMPILED)
  beforeAll(() => netns.exec(shared().nodeNetns, ['iptables', '-t', 'nat', '-N', 'ISTIO_OUTPUT']).then(() => {}))

  it.each(['DEL', 'ADD'] as const)('%s with the namespace of the node never changes it', async (verb) => {
    const bed = shared()
    const { conf, call } = alone(bed, undefined)
    const own = { ...call, netns: bed.nodeNetns.path }
    const before = await netns.exec(bed.nodeNetns, ['iptables-save'])
    const attempt = netns.run(bed.nodeNetns, () => ({
      done: verb === 'ADD' ? addPlugin('istio-cni', conf, own) : callPlugin('DEL', 'istio-cni', conf, own),
    })).done
    if (verb === 'ADD') expect(await failure(attempt)).toMatchObject({ code: 8 })
    else await attempt
    const after = await netns.exec(bed.nodeNetns, ['iptables-save'])
    expect(withoutDates(after.stdout)).toBe(withoutDates(before.stdout))
  })
})

async function killedAdd(bed: TestBed, ms: number): Promise<void> {
  const { conf, call } = alone(bed, undefined)
  const attempt = netns.run(bed.nodeNetns, () => ({
    done: addPlugin('istio-cni', conf, call, { timeout: ms }),
  })).done
  await attempt.catch((error: unknown) => {
    if (!isPluginError(error)) throw error
  })
  expect(existsSync(bed.node.binDir)).toBe(true)
}

const withoutDates = (text: string): string => text.replaceAll(/^#.*$|\[\d+:\d+\]/gm, '')
