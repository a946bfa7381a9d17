import type { NetnsTarget } from '@cni/netns'
import { describe, expect, test } from 'vitest'
import { everything } from '../../../../istio-rules/test/goldens/ambient/cases.ts'
import { enrolNamespace, releaseNamespace } from '../../../src/agent/ambient/namespace/enrol-namespace.ts'
import { type NodeProbesOptions, nodeProbes } from '../../../src/agent/ambient/node/node-probes.ts'
import type { RulesOptions } from '../../../src/agent/ambient/rules/installed-rules.ts'
import { connectFrom, startProxy } from '../../../src/testing/node/stand-ins.ts'
import { addresses, ambientCluster } from './two-pods.ts'

const user = 1000

const written = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

/**
 * The answers of each family: the name of an application, or the port of the ztunnel stand-in and the original target.
 */
async function reached(from: NetnsTarget, hosts: readonly string[], port = 8080, as = user): Promise<string[]> {
  const connections = await connectFrom(
    from,
    as,
    hosts.map((host) => ({ host, port })),
  )
  return connections.map(({ answer, error }) =>
    answer?.served_by === 'proxy'
      ? `${answer.listener} for ${answer.original_dst}`
      : (answer?.served_by ?? error ?? 'nobody'),
  )
}

const ways: readonly (readonly [string, RulesOptions, NodeProbesOptions])[] = [
  ['iptables', {}, {}],
  ['native', { native: true }, { native: { kubeletUid: 0 } }],
]

describe.each(ways)('with rules by %s', (_, how, onNode) => {
  test('traffic in and out of a mesh pod passes through ztunnel, except ztunnel’s own and probes', async () => {
    await using running = await ambientCluster([8080, 15008])
    await using _proxy = await startProxy(running.pod)
    const { node, pod, other } = running
    const probes = nodeProbes(everything, { netns: node, ...onNode })
    await probes.apply()
    await enrolNamespace(pod, everything, how)
    const captured = (port: number, hosts: readonly string[]) =>
      hosts.map((host) => `${port} for ${written(host, 8080)}`)

    expect(await reached(other, addresses.pod)).toEqual(captured(15006, addresses.pod))
    expect(await reached(other, addresses.pod, 15008)).toEqual(['app', 'app'])
    expect(await reached(pod, addresses.other)).toEqual(captured(15001, addresses.other))
    expect(await reached(pod, [...addresses.pod, '127.0.0.1', '::1'])).toEqual(['app', 'app', 'app', 'app'])

    // A probe differs from other connections only by its address in the set.
    expect(await reached(node, addresses.pod, 8080, 0)).toEqual(captured(15006, addresses.pod))
    await probes.sets.put('uid', addresses.pod)
    expect(await reached(node, addresses.pod, 8080, 0)).toEqual(['app', 'app'])
    await probes.sets.drop('uid')
    expect(await reached(node, addresses.pod, 8080, 0)).toEqual(captured(15006, addresses.pod))

    await enrolNamespace(pod, { ...everything, bypassInbound: true }, how)
    expect(await reached(other, addresses.pod)).toEqual(['app', 'app'])
    expect(await reached(pod, addresses.other)).toEqual(captured(15001, addresses.other))

    await releaseNamespace(pod, everything, how)
    expect(await reached(pod, addresses.other)).toEqual(['other', 'other'])
  })
})
