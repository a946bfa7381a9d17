import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { addPlugin, callPlugin, isPluginError } from '@cni/invoke'
import { netns } from '@cni/netns'
import { openNft } from '@cni/nftables/wire'
import { toErrorDocument } from '@cni/types'
import { afterEach, describe, expect, it } from 'vitest'
import { COMPILED, RUNTIMES } from './executables.ts'
import { type TestBed, testBed } from './pod.ts'

const beds: TestBed[] = []
const bedFor = async (...args: Parameters<typeof testBed>): Promise<TestBed> => {
  const bed = await testBed(...args)
  beds.push(bed)
  return bed
}
afterEach(async () => {
  for (const bed of beds.splice(0)) await bed[Symbol.asyncDispose]()
})

/** The plugin's own call, without the chain before it. */
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

describe.each(RUNTIMES)('the life of an attachment (%s)', (_, plugin) => {
  it('ADD, CHECK and DEL succeed, and DEL leaves nothing', async () => {
    const bed = await bedFor(plugin)
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
  })

  it('only ADD asks the API server, once', async () => {
    const bed = await bedFor(plugin)
    await bed.add()
    await bed.node.runtime.check(bed.node.conflist, bed.attachment)
    await bed.node.runtime.del(bed.node.conflist, bed.attachment)
    expect(bed.node.api.requests.map(({ url }) => url)).toEqual(['/api/v1/namespaces/demo/pods/web'])
  })

  it('a repeated ADD succeeds and changes nothing', async () => {
    const bed = await bedFor(plugin)
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
      const bed = await bedFor(plugin)
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

  it('DEL may be repeated, and comes without netns and without prevResult', async () => {
    const bed = await bedFor(plugin)
    await bed.add()
    const { conf, call } = alone(bed, undefined)
    for (const path of [bed.pod.path, '', '/run/netns/gone']) {
      await callPlugin('DEL', 'istio-cni', conf, { ...call, netns: path })
    }
    expect(await bed.save()).not.toContain('ISTIO_')
  })

  it('DEL with a broken configuration succeeds', async () => {
    const bed = await bedFor(plugin)
    const { conf, call } = alone(bed, undefined)
    await callPlugin('DEL', 'istio-cni', { ...conf, cni_agent_run_dir: 7, exclude_namespaces: 'all' }, call)
  })
})

describe.each([
  ['iptables', {}, [1, 4, 7, 10, 13, 16, 20, 25, 30]],
  ['native nftables', { native_nftables: true }, [7, 13, 20, 25, 30]],
])('a killed ADD, by %s,', (_, own, moments) => {
  // From before the first line of ours to after the last write, as far as this machine's speed allows.
  it.each(moments)('after %i ms can be repeated, and then checked', async (ms) => {
    const bed = await bedFor(() => COMPILED, { conf: own })
    const { conf, call } = alone(bed, undefined)
    await addLo(bed)
    await killedAdd(bed, ms)
    await netns.run(bed.nodeNetns, () => ({ done: addPlugin('istio-cni', conf, call) })).done
    await callPlugin('CHECK', 'istio-cni', conf, call)
  })

  it.each(moments)('after %i ms can be deleted, and leaves nothing', async (ms) => {
    const bed = await bedFor(() => COMPILED, { conf: own })
    const { conf, call } = alone(bed, undefined)
    await addLo(bed)
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
  it.each(['DEL', 'ADD'] as const)('%s with the namespace of the node never touches it', async (verb) => {
    const bed = await bedFor(() => COMPILED)
    const { conf, call } = alone(bed, undefined)
    const own = { ...call, netns: bed.nodeNetns.path }
    await netns.exec(bed.nodeNetns, ['iptables', '-t', 'nat', '-N', 'ISTIO_OUTPUT'])
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

/** An address for the pod, so that the plugin alone has something to work on. */
const addLo = (bed: TestBed) => netns.exec(bed.pod, ['ip', 'address', 'add', '10.9.9.9/32', 'dev', 'lo'])

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
