import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredPod } from '@cni/kube/testing'
import { type Attachment, type Cni, type NetworkList, parseNetworkList } from '@cni/libcni'
import { type Netns, netns as namespaces } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { messageOf } from '@cni/types'
import { expect } from 'vitest'
import { meshPod, plainPod } from '../../packages/istio-redirect/src/testing/pods.ts'
import { DUAL_STACK } from '../../packages/istio-redirect/test/e2e/plugin/pod.ts'
import { onNode } from '../../packages/istio-redirect/test/stage/pods.ts'
import { rulesIn as iptablesRulesIn } from '../../packages/istio-redirect/test/stage/rules.ts'
import { mode } from '../../packages/istio-rules/test/ambient-pods.ts'
import type { UpgradeNode } from './upgrade-node.ts'

/** Pod that a test has added. The pod's network namespace outlives DEL. */
export interface Pod extends AsyncDisposable {
  readonly name: string
  readonly uid: string
  readonly netns: Netns
  readonly attachment: Attachment
  /** Conflist with which the container runtime called the pod's ADD. */
  readonly list: NetworkList
  /** Rules in the pod after its ADD. Empty for a pod outside the mesh. */
  readonly rules: string
}

/** Options of the pods that an upgrade test adds. */
interface PodsOptions {
  /** Container runtime that adds the pods. Default: the runtime of the test node. */
  readonly runtime?: Cni | undefined
  /**
   * True for an ambient mesh, in which the agent writes the rules. DEL keeps these rules, except in version 0.1.0.
   * Default: the mesh pods have a sidecar.
   */
  readonly isAmbient?: boolean
}

/** Time limit of the attempts to create a pod's sandbox, and the pause between attempts, in milliseconds. */
const [PATIENCE_MS, PAUSE_MS] = [30_000, 250]

/** Adds, checks and deletes pods on the test node, as kubelet and a container runtime do. */
export type Pods = ReturnType<typeof podsOn>

/** Creates the pods of a test. Counts the calls of the container runtime and collects failed ADDs. */
export function podsOn(node: UpgradeNode, options: PodsOptions = {}) {
  const { isAmbient = false, runtime = node.runtime } = options
  const { api } = node
  /** Numbers of calls that the container runtime has made, by command. */
  const calls = { add: 0, check: 0, del: 0 }
  const failures: string[] = []
  const attach = async (name: string, uid: string, target: Netns): Promise<Pick<Pod, 'attachment' | 'list'>> => {
    const began = performance.now()
    for (let attempt = 1; ; attempt += 1) {
      const list = node.list()
      const args = { K8S_POD_NAMESPACE: 'demo', K8S_POD_NAME: name, K8S_POD_UID: uid }
      const attachment: Attachment = {
        containerID: `${name}-${attempt}`,
        netns: target.path,
        ifName: 'eth0',
        args: [['IgnoreUnknown', '1'], ...Object.entries(args)],
      }
      calls.add += 1
      try {
        expect(list.text, `the list at the ADD of ${name}`).toContain('"istio-cni"')
        await runtime.add(list, attachment)
        return { attachment, list }
      } catch (error) {
        failures.push(`ADD ${name}: ${messageOf(error)}`)
        calls.del += 1
        await runtime.del(list, attachment)
        if (performance.now() - began > PATIENCE_MS) throw error
        await delay(PAUSE_MS)
      }
    }
  }
  return {
    /** Adds a pod. A failed ADD is followed by DEL and a retry, as by kubelet. */
    async add(name: string, isMesh = true): Promise<Pod> {
      const stack = new AsyncDisposableStack()
      const netns = stack.use(await tempNetns())
      const uid = randomUUID()
      const stored = isAmbient ? ambientPod(name, isMesh) : sidecarPod(name, isMesh)
      api.setPod(onNode(stored, uid, { serviceAccountName: 'default' }))
      const added = await attach(name, uid, netns)
      const rules = await rulesIn(netns)
      expect([name, /istio[-_]output/i.test(rules)]).toEqual([name, isMesh])
      stack.defer(() => api.deletePod('demo', name))
      return { name, uid, netns, rules, ...added, [Symbol.asyncDispose]: () => stack.disposeAsync() }
    },
    /** Calls CHECK for the pod with the current conflist. Expects the same rules as after ADD. */
    async check({ name, netns, attachment, rules }: Pod) {
      const list = node.list()
      // CNI specification 0.3.1 has no CHECK, so the container runtime does not call it.
      if (list.conflist.cniVersion !== '0.3.1') {
        calls.check += 1
        await runtime.check(list, attachment)
      }
      expect([name, await rulesIn(netns)]).toEqual([name, rules])
    },
    /** Calls DEL twice with the current conflist (`list`) or the conflist of ADD (`cache`). */
    async del({ name, netns, attachment, list }: Pod, by: 'list' | 'cache' = 'list') {
      for (const _ of ['once', 'again']) {
        calls.del += 1
        await runtime.del(by === 'list' ? node.list() : parseNetworkList(list.text), attachment)
      }
      if (!isAmbient) expect([name, await rulesIn(netns)]).toEqual([name, expect.not.stringMatching(/istio/i)])
    },
    /** Expects that the node has no state of any pod. `allowed` matches permitted ADD errors. */
    expectNoneLeft(title: string, allowed?: RegExp) {
      process.stderr.write(`${title}: ${JSON.stringify({ ...calls, failures: failures.length })}\n`)
      expect(failures.filter((one) => allowed?.test(one) !== true)).toEqual([])
      expect([node.leases(), node.stateFiles(), runtime.attachments()]).toEqual([[], [], []])
    },
  }
}

const sidecarPod = (name: string, isMesh: boolean): StoredPod =>
  isMesh ? meshPod({ name, proxy: DUAL_STACK }) : plainPod({ name })

const ambientPod = (name: string, isMesh: boolean): StoredPod =>
  plainPod({ name, ...(!isMesh && { labels: { [mode]: 'none' } }) })

/** Reads the rules of nf_tables and of legacy iptables in a network namespace, without counters. */
export async function rulesIn(target: Netns): Promise<string> {
  const { stdout } = await namespaces.exec(target, ['nft', '--stateless', 'list', 'ruleset'])
  const legacy = await iptablesRulesIn(target, 'iptables-legacy')
  return stdout + legacy.replaceAll(/\[\d+:\d+\]/g, '')
}
