import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { assignInterface, mergeResults, resolveRoutes } from '@cni/types'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { delegate } from '../../src/delegate.ts'
import { realExec } from '../../src/real-exec.ts'

type Step = (options: { readonly signal: AbortSignal }) => Promise<void>

const PLUGINS = '/usr/lib/cni'
const missing =
  process.getuid?.() !== 0
    ? 'needs root: network namespaces'
    : ['bridge', 'host-local'].every((name) => existsSync(`${PLUGINS}/${name}`))
      ? undefined
      : `needs ${PLUGINS} (apt install containernetworking-plugins)`

describe.runIf(missing === undefined)(
  `the reference plugin bridge as a delegate${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let node: Netns & AsyncDisposable
    let pod: Netns & AsyncDisposable
    let dataDir: string
    beforeEach(async () => {
      node = await tempNetns()
      pod = await tempNetns()
      dataDir = mkdtempSync(join(tmpdir(), 'invoke-'))
    })
    afterEach(async () => {
      await pod[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    })

    /** Configuration of a 1.1.0 plugin that delegates to bridge. Its number must not be rounded. */
    const conf = (more = '') =>
      `{"cniVersion":"1.1.0","name":"net","type":"meta","bridge":"cni-dlg0","isGateway":true,"big":12345678901234567890,
      "ipam":{"type":"host-local","dataDir":"${dataDir}","subnet":"10.96.0.0/24","routes":[{"dst":"0.0.0.0/0"}]}${more}}`
    const bridge = (raw: string, undo?: (step: Step) => void) =>
      delegate(
        'bridge',
        {
          raw,
          env: {
            PATH: '/usr/sbin:/usr/bin',
            CNI_PATH: PLUGINS,
            CNI_CONTAINERID: 'c1',
            CNI_NETNS: pod.path,
            CNI_IFNAME: 'net1',
          },
          ...(undo && { undo }),
        },
        { exec: realExec({ start: (argv, options) => netns.start(node, argv, options) }), timeout: 20_000 },
      )
    const links = async () => (await netns.exec(pod, ['ip', '-brief', 'link'])).stdout

    test('ADD, CHECK and DEL work with a configuration of 1.1.0', async () => {
      const result = await bridge(conf()).add()
      expect(result).toMatchObject({ cniVersion: '1.1.0', ips: [{ address: '10.96.0.2/24', interface: 2 }] })
      expect(result.interfaces?.[2]).toMatchObject({ name: 'net1', sandbox: pod.path })
      expect(await links()).toContain('net1')
      const later = conf(`,"prevResult":${JSON.stringify(result)}`)
      expect(await bridge(later).check()).toMatchObject({ kind: 'done' })
      await bridge(later).del()
      expect(await links()).not.toContain('net1')
    })

    test('its result merges with our own, and every address keeps its interface', async () => {
      const added = await bridge(conf()).add()
      const own = { interfaces: [{ name: 'eth0', sandbox: pod.path }] }
      const merged = assignInterface(mergeResults(own, added, { ips: [{ address: '10.95.0.2/24' }] }), 'eth0')
      const places = merged.ips?.map(({ address, interface: index = -1 }) => [
        address,
        merged.interfaces?.[index]?.name,
      ])
      expect(places).toEqual([
        ['10.96.0.2/24', 'net1'],
        ['10.95.0.2/24', 'eth0'],
      ])
      expect(resolveRoutes(merged)).toEqual([{ dst: '0.0.0.0/0', gw: '10.96.0.1' }])
      await bridge(conf()).del()
    })

    test('the step registered with undo reverts its ADD', async () => {
      const steps: Step[] = []
      await bridge(conf(), (step) => void steps.push(step)).add()
      expect(await links()).toContain('net1')
      for (const step of steps) await step({ signal: AbortSignal.timeout(20_000) })
      expect(await links()).not.toContain('net1')
    })
  },
)
