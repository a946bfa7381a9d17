import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { meshPod } from '../../packages/istio-redirect/src/testing/pods.ts'
import { DUAL_STACK } from '../../packages/istio-redirect/test/e2e/plugin/pod.ts'
import { rulesIn } from '../../packages/istio-redirect/test/stage/rules.ts'
import { type Containerd, startContainerd } from './node/containerd.ts'
import { type Kubelet, kubelet } from './node/kubelet.ts'
import { type Call, spyOn } from './node/spy.ts'
import { entry, type Stage, setStage } from './node/stage.ts'
import { folderFor } from './node/throw-away.ts'

const CHAIN = { first: 'bridge', families: 'dual stack' } as const
const NETNS_FOLDER = '/run/netns'

const stack = new AsyncDisposableStack()
let stage: Stage
let containerd: Containerd
let node: Kubelet
let calls: () => Call[]
/**
 * While this file exists, the next `iptables-restore` writes its rules and then never ends. The node uses legacy
 * iptables: after the single transaction of netlink nothing can hang.
 */
let hangAfterRestore: string

beforeAll(async () => {
  stage = stack.use(await setStage(CHAIN))
  calls = spyOn(stage.binDir)
  const path = folderFor('path')
  hangAfterRestore = join(path, 'hang')
  const legacy = (program: string) => findExecutable(program.replace('-', '-legacy-'), process.env.PATH) ?? program
  for (const program of ['iptables-save', 'ip6tables-save', 'ip6tables-restore']) {
    symlinkSync(legacy(program), join(path, program))
  }
  const real = legacy('iptables-restore')
  const script = `#!/bin/sh
case "$*" in *--version*) exec ${real} "$@"; esac
rmdir ${hangAfterRestore} 2> /dev/null || exec ${real} "$@"
${real} "$@" && exec sleep 60
`
  writeFileSync(join(path, 'iptables-restore'), script, { mode: 0o755 })
  containerd = stack.use(await startContainerd(stage, [path]))
  node = kubelet(containerd.cri)
  stack.defer(() => node.drain())
})
afterAll(() => stack.disposeAsync())

const expectNothingLeft = (): void => {
  expect(stage.leases()).toEqual([])
  expect(stage.stateFiles()).toEqual([])
  expect(existsSync(NETNS_FOLDER) ? readdirSync(NETNS_FOLDER) : []).toEqual([])
}

const stored = (name: string, annotations = {}) => {
  const pod = meshPod({ name, annotations, proxy: DUAL_STACK })
  stage.api.setPod(pod)
  return pod.metadata
}

describe('a plugin killed at the deadline of containerd’s client leaves nothing', () => {
  const RUN_MS = 3000

  /** Starts a pod that cannot become ready. Waits for `soFar`, and then for the deadline. */
  const runTooLong = async (name: string, soFar: (pod: Netns) => Promise<unknown>): Promise<Netns> => {
    const before = calls().length
    const failure = node.run(stored(name), RUN_MS).then(String, String)
    const pod = await vi.waitFor(
      () => {
        const call = calls()[before]
        if (call === undefined) throw new Error('no ADD so far')
        return netns.open(call.netns)
      },
      { timeout: RUN_MS, interval: 10 },
    )
    await soFar(pod)
    expect(await failure).toContain('DEADLINE_EXCEEDED')
    return pod
  }

  const expectClean = async (name: string, pod: Netns): Promise<void> => {
    await vi.waitFor(expectNothingLeft, { timeout: 10_000, interval: 50 })
    expect(await rulesIn(pod, 'iptables-legacy')).not.toContain('ISTIO_')
    expect(calls().at(-1)).toMatchObject({ verb: 'DEL', hasPrevResult: false })
    // A terminated plugin would print an error document. libcni logs "netplugin failed" for a plugin without a
    // document.
    expect(containerd.log()).toMatch(new RegExp(`Name:${name},.* failed \\(add\\): netplugin failed`))
  }

  it('during a request to the API server', async () => {
    stage.api.misbehave({ hang: true })
    using pod = await runTooLong('killed-early', () =>
      vi.waitFor(() => expect(stage.api.requests.at(-1)?.url).toContain('killed-early'), { timeout: RUN_MS }),
    )
    await expectClean('killed-early', pod)
  })

  it('after its rules are written', async () => {
    mkdirSync(hangAfterRestore)
    const written = async (namespace: Netns) =>
      expect(await rulesIn(namespace, 'iptables-legacy')).toContain('-A OUTPUT -j ISTIO_OUTPUT')
    using pod = await runTooLong('killed-late', (namespace) =>
      vi.waitFor(() => written(namespace), { timeout: RUN_MS }),
    )
    await expectClean('killed-late', pod)
  })
})

describe('a failing ADD reports its error to the client of containerd and leaves nothing', () => {
  it('when the kubeconfig is missing', async () => {
    stage.forget()
    await expect(node.run(stored('no-kubeconfig'))).rejects.toThrow(
      /plugin type="istio-cni" failed \(add\): .*istio-cni-kubeconfig/,
    )
    stage.api.writeKubeconfig(stage.runDir)
    expectNothingLeft()
  })

  it('when the API server refuses the token', async () => {
    stage.api.misbehave({ status: 403 })
    await expect(node.run(stored('forbidden'))).rejects.toThrow(
      /plugin type="istio-cni" failed \(add\): .*demo\/forbidden.*403/,
    )
    expectNothingLeft()
  })

  it('when the API server does not know the pod', async () => {
    await expect(node.run({ name: 'unknown' })).rejects.toThrow(/failed \(add\): .*demo\/unknown.*404/)
    expectNothingLeft()
  })

  it('when an annotation of the pod is wrong', async () => {
    const key = 'traffic.sidecar.istio.io/excludeOutboundPorts'
    await expect(node.run(stored('bad-annotation', { [key]: '80;reboot' }))).rejects.toThrow(
      /failed \(add\): .*excludeOutboundPorts.*80;reboot/,
    )
    expectNothingLeft()
  })

  it('when our entry of the configuration is wrong', async () => {
    await node.untilLoaded(stage.use(CHAIN, [entry(stage.runDir, { exclude_namespaces: 'all' })]))
    await expect(node.run(stored('bad-entry'))).rejects.toThrow(/failed \(add\): .*exclude_namespaces/)
    await node.untilLoaded(stage.use(CHAIN))
    expectNothingLeft()
  })

  it('when the API server is unreachable for half a minute', async () => {
    await stage.api.close()
    await expect(node.run(stored('api-gone'))).rejects.toThrow(/failed \(add\): .*demo\/api-gone.*30 requests/s)
    expectNothingLeft()
  })
})

describe('without API server and kubeconfig', () => {
  beforeAll(async () => {
    stage.forget()
    await stage.api.close()
    await node.untilLoaded(stage.use(CHAIN, [entry(stage.runDir, { exclude_namespaces: ['kube-system'] })]))
  })

  it.each([
    ['of an excluded namespace', { name: 'dns', namespace: 'kube-system' }],
    ['that containerd says is outside the mesh', { name: 'plain', annotations: { owner: 'shop' } }],
  ])('a pod %s starts, and stops without a trace', async (_, spec) => {
    const pod = await node.run(spec)
    await pod.stop()
    await pod.remove()
    expectNothingLeft()
  })
})
