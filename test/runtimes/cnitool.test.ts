import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectFrom, startProxy } from '../../packages/istio-redirect/src/testing/node/stand-ins.ts'
import { meshPod } from '../../packages/istio-redirect/src/testing/pods.ts'
import { DUAL_STACK } from '../../packages/istio-redirect/test/e2e/plugin/pod.ts'
import { rulesIn } from '../../packages/istio-redirect/test/stage/rules.ts'
import { NETWORK } from './node/pod-network.ts'
import { type Stage, setStage } from './node/stage.ts'

const CNITOOL = fileURLToPath(new URL('../../dist/bin/cnitool', import.meta.url))

describe.each([
  { first: 'bridge', families: 'dual stack' },
  { first: 'ptp', families: 'IPv4' },
] as const)('a mesh pod of cnitool behind $first, host-local and portmap ($families)', (kind) => {
  const stack = new AsyncDisposableStack()
  let stage: Stage
  let pod: Netns

  beforeAll(async () => {
    stage = stack.use(await setStage(kind))
    pod = stack.use(await tempNetns())
    stage.api.setPod(meshPod({ ...(kind.families === 'dual stack' && { proxy: DUAL_STACK }) }))
  })
  afterAll(() => stack.disposeAsync())

  const cnitool = async (verb: string) => {
    const { exitCode, stdout } = await run([CNITOOL, verb, NETWORK, pod.path, '--json'], {
      reject: false,
      timeout: 20_000,
      env: {
        PATH: process.env.PATH,
        NETCONFPATH: stage.confDir,
        CNI_PATH: stage.binDir,
        CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=demo;K8S_POD_NAME=web',
      },
    })
    return { exitCode, document: stdout === '' ? undefined : JSON.parse(stdout) }
  }

  it('is added: its connections are captured', async () => {
    expect(await cnitool('add')).toMatchObject({ exitCode: 0 })
    await using _ = await startProxy(pod)
    const [exchange] = await connectFrom(pod, 1000, [{ host: '203.0.113.7', port: 443 }])
    expect(exchange?.answer).toMatchObject({ listener: 15001, original_dst: '203.0.113.7:443' })
  })

  it('passes CHECK unchanged, and fails CHECK with the difference after a jump is removed', async () => {
    expect(await cnitool('check')).toMatchObject({ exitCode: 0 })
    await netns.exec(pod, ['iptables', '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT'])
    expect(await cnitool('check')).toMatchObject({
      exitCode: 1,
      document: { code: 100, details: expect.stringContaining('-A OUTPUT -j ISTIO_OUTPUT') },
    })
  })

  it('is deleted twice, and nothing is left', async () => {
    expect(await cnitool('del')).toMatchObject({ exitCode: 0 })
    expect(await cnitool('del')).toMatchObject({ exitCode: 0 })
    expect(await rulesIn(pod)).not.toContain('ISTIO_')
    expect(stage.leases()).toEqual([])
    expect(stage.stateFiles()).toEqual([])
    expect(stage.api.requests).toHaveLength(1)
  })
})
