import { fstatSync, mkdtempDisposableSync, openSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Netns, netns } from '@cni/netns'
import { expect } from 'vitest'
import type { KnownPod } from '../../src/agent/ambient/namespace/netns-cache.ts'
import type { ZdsEvent, ZdsOptions, ZdsPod } from '../../src/agent/ambient/zds/options.ts'
import { startZds } from '../../src/agent/ambient/zds/server.ts'
import { recordingLog } from '../stage/log.ts'
import { rawZtunnel } from './raw-ztunnel.ts'

/** Running ZDS server of the agent for a test, with the test's pods and the server's log. */
export type ZdsFixture = ReturnType<typeof zdsFixture>

/** Counts the open file descriptors of the test's process. */
export const descriptors = () => readdirSync('/proc/self/fd').length

/** Starts the agent's ZDS server. Disposing fails if a file descriptor was left open. */
export function zdsFixture(options: Partial<ZdsOptions> = {}) {
  const before = descriptors()
  const folder = mkdtempDisposableSync(join(tmpdir(), 'cni-zds-'))
  const path = join(folder.path, 'ztunnel.sock')
  /** Pods in the snapshot that the server sends to a new ztunnel, by pod UID. */
  const pods = new Map<string, ZdsPod | { uid: string; workload: ZdsPod['workload']; netns?: undefined }>()
  const log: string[] = []
  const events: ZdsEvent[] = []
  const opened = new DisposableStack()
  let leases = 0
  const snapshot = (): KnownPod[] =>
    [...pods.values()].map(({ uid, workload, netns: namespace }) => {
      if (namespace === undefined) return { uid, workload, lease: undefined }
      leases += 1
      return { uid, workload, lease: { netns: namespace, [Symbol.dispose]: () => void leases-- } }
    })
  const zds = startZds({
    path,
    snapshot,
    log: recordingLog(log),
    observe: (event) => events.push(event),
    allow: () => true,
    ...options,
  })
  return {
    path,
    zds,
    pods,
    log,
    events,
    /** Number of network namespace handles of pods that the server has not released yet. */
    leases: () => leases,
    pod(name: string): ZdsPod {
      const handle = opened.use(netns.open('/proc/self/ns/net'))
      return { uid: `uid-of-${name}`, workload: { name, namespace: 'shop', serviceAccount: 'default' }, netns: handle }
    },
    /** Opens a namespace that differs from every pod's namespace. */
    otherNamespace() {
      const fd = openSync('/proc/self/ns/mnt', 'r')
      return opened.use(new Netns('/proc/self/ns/mnt', fd, fstatSync(fd, { bigint: true })))
    },
    /** Connects a ztunnel stand-in that sends no message. */
    connect: () => opened.use(rawZtunnel(path)),
    /** Waits until the server has the given number of ztunnel connections in the state `live`. */
    live: (count: number) =>
      expect
        .poll(() => zds.connections().filter(({ state }) => state === 'live').length, { timeout: 20_000 })
        .toBe(count),
    async [Symbol.asyncDispose]() {
      await zds.close()
      opened.dispose()
      folder.remove()
      expect(leases).toBe(0)
      await expect.poll(descriptors, { timeout: 20_000 }).toBe(before)
    },
  }
}
