import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { everything } from '../../../istio-rules/test/goldens/ambient/cases.ts'
import { enrolNamespace } from '../../src/agent/ambient/namespace/enrol-namespace.ts'
import { netnsCache } from '../../src/agent/ambient/namespace/netns-cache.ts'
import { startZds } from '../../src/agent/ambient/zds/server.ts'

/** Starts the part of an agent that hands pods to ztunnels, without an API server. */
export function enrolledPods() {
  const folder = mkdtempSync(join(tmpdir(), 'cni-enrolled-'))
  const path = join(folder, 'ztunnel.sock')
  // Process 1 may not be looked at everywhere.
  mkdirSync(join(folder, 'proc/1/ns'), { recursive: true })
  symlinkSync('/proc/self/ns/net', join(folder, 'proc/1/ns/net'))
  const cache = netnsCache(join(folder, 'proc'))
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const zds = startZds({ path, snapshot: () => cache.snapshot(), log })
  const workloadOf = (uid: string) => ({ name: uid, namespace: 'shop', serviceAccount: 'default' })
  return {
    path,
    zds,
    /** As the agent does it: the namespace is known, rules are there, then ztunnel hears of it. */
    async enrol(uid: string, pod: Netns) {
      cache.keep(uid, workloadOf(uid), netns.open(`/proc/self/fd/${pod.fd}`))
      await enrolNamespace(pod, everything, { native: true })
      await zds.add({ uid, workload: workloadOf(uid), netns: pod })
    },
    async forget(uid: string) {
      cache.forget(uid)
      await zds.remove(uid)
    },
    async [Symbol.asyncDispose]() {
      await zds.close()
      cache[Symbol.dispose]()
      rmSync(folder, { recursive: true })
    },
  }
}
