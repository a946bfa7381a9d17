import { type Netns, netns } from '@cni/netns'
import { describe, expect, test } from 'vitest'
import { backends, settingsFor } from '../../../packages/istio-redirect/test/ambient/backends.ts'
import { gateways } from '../../../packages/istio-redirect/test/ambient/mesh-node.ts'
import { pollOptions } from '../../../packages/istio-redirect/test/ambient/served-node.ts'
import { reached } from '../../../packages/istio-redirect/test/stage/reached.ts'
import { defaultProbeSource } from '../../../packages/istio-rules/src/ambient/pod-rules.ts'
import { peer } from '../peers.ts'
import { answers, service, ztunnelMesh } from './ztunnel-mesh.ts'

const { file, missing } = peer('ztunnel')
const probes = [defaultProbeSource.ipv4, defaultProbeSource.ipv6]

describe.runIf(missing === undefined)(
  `what passes through a real ztunnel${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    test.each(backends)('carries all traffic in and out of mesh pods, with rules of %s', async (backend) => {
      await using mesh = await ztunnelMesh(file, settingsFor(backend))
      const { node, agent, web, shop, plain } = mesh
      const ztunnel = await mesh.ztunnel()
      expect(agent.status()).toMatchObject({ backend, ztunnels: 1 })
      // No traffic passes through ztunnel before a pod is in the mesh.
      expect(await reached(web.netns, shop.addresses)).toEqual(answers('shop', web.addresses))
      await mesh.enrol()
      expect(await ztunnel.pods()).toEqual([web.uid, shop.uid].toSorted())

      expect(await reached(web.netns, shop.addresses)).toEqual(answers('shop', web.addresses))
      expect(await reached(plain.netns, shop.addresses)).toEqual(answers('shop', plain.addresses))
      expect(await reached(web.netns, plain.addresses)).toEqual(answers('plain', web.addresses))
      expect(await reached(web.netns, service.addresses, 80)).toEqual(answers('shop', web.addresses))
      // These connections do not pass through ztunnel.
      expect(await reached(web.netns, web.addresses)).toEqual(answers('web', web.addresses))
      expect(await reached(shop.netns, ['127.0.0.1', '::1'])).toEqual(answers('shop', ['127.0.0.1', '::1']))
      for (const { name, netns: pod, addresses } of [web, shop]) {
        expect([name, await reached(node.netns, addresses, 8080, 0)]).toEqual([name, answers(name, probes)])
        expect(pod.fd).toBeGreaterThan(0)
      }
      // Connects over both families, to the pod and to the service.
      await expect
        .poll(() => ztunnel.connections(), pollOptions)
        .toEqual({
          'source web to shop with mutual_tls': 4,
          'destination web to shop with mutual_tls': 4,
          'destination plain to shop with unknown': 2,
          'source web to plain with unknown': 2,
        })

      for (const server of gateways) {
        expect(await namesOf(web.netns, server, service.host)).toEqual(service.addresses)
        expect(await namesOf(plain.netns, server, service.host)).toEqual(['ECONNREFUSED'])
      }
    })
  },
)

// internal

const ASK = `
const [server, name] = process.argv.slice(1)
const resolver = new (require('node:dns').promises.Resolver)({ timeout: 2000, tries: 2 })
resolver.setServers([server.includes(':') ? '[' + server + ']' : server])
Promise.all([resolver.resolve4(name), resolver.resolve6(name)]).then(
  (found) => console.log(found.flat().join()),
  (error) => console.log(error.code),
)
`

/** The addresses of a name in both families, from a DNS server, asked from inside a pod. */
const namesOf = async (pod: Netns, server: string, name: string): Promise<string[]> =>
  (await netns.exec(pod, [process.execPath, '-e', ASK, server, name])).stdout.trim().split(',')
