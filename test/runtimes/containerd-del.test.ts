import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startProxy } from '../../packages/istio-redirect/src/testing/node/stand-ins.ts'
import { meshPod } from '../../packages/istio-redirect/src/testing/pods.ts'
import { DUAL_STACK } from '../../packages/istio-redirect/test/e2e/plugin/pod.ts'
import { rulesIn } from '../../packages/istio-redirect/test/stage/rules.ts'
import { type Containerd, startContainerd } from './node/containerd.ts'
import { type Kubelet, kubelet } from './node/kubelet.ts'
import { type Call, spyOn } from './node/spy.ts'
import { type Stage, setStage } from './node/stage.ts'

const stack = new AsyncDisposableStack()
let stage: Stage
let containerd: Containerd
let node: Kubelet
let allCalls: () => Call[]
let before = 0

beforeAll(async () => {
  stage = stack.use(await setStage({ first: 'bridge', families: 'dual stack' }))
  allCalls = spyOn(stage.binDir)
  containerd = stack.use(await startContainerd(stage))
  node = kubelet(containerd.cri)
})
afterAll(() => stack.disposeAsync())
afterEach(() => node.drain())
beforeEach(() => {
  before = allCalls().length
})

const calls = (): Call[] => allCalls().slice(before)

const runPod = (name: string) => {
  const stored = meshPod({ name, proxy: DUAL_STACK })
  stage.api.setPod(stored)
  return node.run(stored.metadata)
}

const expectNothingLeft = (): void => {
  expect(stage.leases()).toEqual([])
  expect(stage.stateFiles()).toEqual([])
}

describe('DEL from containerd', () => {
  it('is repeated, first without netns and then without prevResult, and succeeds each time', async () => {
    const pod = await runPod('deleted-often')
    await pod.stop()
    await pod.stop()
    await pod.remove()
    expect(calls()).toEqual([
      { verb: 'ADD', netns: pod.netns, hasPrevResult: true },
      { verb: 'DEL', netns: pod.netns, hasPrevResult: true },
      { verb: 'DEL', netns: '', hasPrevResult: false },
      { verb: 'DEL', netns: '', hasPrevResult: false },
    ])
    expectNothingLeft()
  })

  it('needs neither the API server nor the kubeconfig', async () => {
    const pod = await runPod('deleted-alone')
    using namespace = netns.open(pod.netns)
    const requests = stage.api.requests.length
    rmSync(join(stage.runDir, 'istio-cni-kubeconfig'))
    await pod.stop()
    stage.api.writeKubeconfig(stage.runDir)
    expect(await rulesIn(namespace)).not.toContain('ISTIO_')
    expect(stage.api.requests).toHaveLength(requests)
    expectNothingLeft()
    await pod.remove()
  })

  it('without our record removes nothing: the rules may belong to another attachment, and end with the namespace', async () => {
    const pod = await runPod('deleted-unrecorded')
    using namespace = netns.open(pod.netns)
    stage.forget()
    await pod.stop()
    stage.api.writeKubeconfig(stage.runDir)
    expect(await rulesIn(namespace)).toContain('ISTIO_')
    expectNothingLeft()
    await pod.remove()
  })

  it('has netns and prevResult after a restart of containerd', async () => {
    const pod = await runPod('survives-restart')
    using namespace = netns.open(pod.netns)
    await containerd.restart()
    {
      await using _ = await startProxy(namespace)
      const container = await pod.container(1000)
      const answer = await container.exec('timeout', '5', 'nc', '203.0.113.7', '443')
      expect(JSON.parse(answer)).toMatchObject({ listener: 15001, original_dst: '203.0.113.7:443' })
    }
    await pod.stop()
    expect(calls().at(-1)).toEqual({ verb: 'DEL', netns: pod.netns, hasPrevResult: true })
    expect(await rulesIn(namespace)).not.toContain('ISTIO_')
    expectNothingLeft()
    await pod.remove()
  })
})
