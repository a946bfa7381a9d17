import { fstatSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Netns, netns } from '@cni/netns'
import { expect } from 'vitest'
import type { KnownPod } from '../../src/agent/ambient/namespace/netns-cache.ts'
import type { ZdsEvent, ZdsOptions, ZdsPod } from '../../src/agent/ambient/zds/options.ts'
import { startZds } from '../../src/agent/ambient/zds/server.ts'
import { recordingLog } from '../stage/log.ts'
import { rawZtunnel } from './raw-ztunnel.ts'

/** A server of its own, with pods that a test puts there, and what it said. */
export type ZdsFixture = ReturnType<typeof zdsFixture>

/** What this process has open. */
export const descriptors = () => readdirSync('/proc/self/fd').length

/** Starts a server. When it is disposed of, nothing it opened is open, or the test fails. */
export function zdsFixture(options: Partial<ZdsOptions> = {}) {
  const before = descriptors()
  const folder = mkdtempSync(join(tmpdir(), 'cni-zds-'))
  const path = join(folder, 'ztunnel.sock')
  /** What a ztunnel is told when it connects. */
  const pods = new Map<string, ZdsPod | { uid: string; workload: ZdsPod['workload']; netns?: undefined }>()
  const log: string[] = []
  const events: ZdsEvent[] = []
  const opened: Disposable[] = []
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
    /** How many leases are not given back. */
    leases: () => leases,
    pod(name: string): ZdsPod {
      const handle = netns.open('/proc/self/ns/net')
      opened.push(handle)
      return { uid: `uid-of-${name}`, workload: { name, namespace: 'shop', serviceAccount: 'default' }, netns: handle }
    },
    /** Something else than the namespace of those. */
    otherNamespace() {
      const fd = openSync('/proc/self/ns/mnt', 'r')
      const handle = new Netns('/proc/self/ns/mnt', fd, fstatSync(fd, { bigint: true }))
      opened.push(handle)
      return handle
    },
    /** A ztunnel that connected, and says nothing. */
    connect() {
      const ztunnel = rawZtunnel(path)
      opened.push(ztunnel)
      return ztunnel
    },
    /** Waits until so many ztunnels are live. */
    live: (count: number) =>
      expect
        .poll(() => zds.connections().filter(({ state }) => state === 'live').length, { timeout: 20_000 })
        .toBe(count),
    async [Symbol.asyncDispose]() {
      await zds.close()
      for (const each of opened) each[Symbol.dispose]()
      rmSync(folder, { recursive: true })
      expect(leases).toBe(0)
      await expect.poll(descriptors, { timeout: 20_000 }).toBe(before)
    },
  }
}
