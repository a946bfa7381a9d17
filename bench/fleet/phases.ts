import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeServer } from '../../packages/kube/test/kube-server.ts'
import { auditedRequest, countRequests, type RequestCount } from './audit.ts'
import { type ServerMetrics, serverMetrics } from './server-metrics.ts'

/** Load on the API server in one phase of the fleet benchmark. */
export interface Phase {
  readonly name: string
  readonly seconds: number
  readonly requests: RequestCount
  /** CPU time of kube-apiserver in the phase. After a restart of kube-apiserver, counted since the restart. */
  readonly cpuSeconds: number
  readonly megabytes: number
  readonly bytes: number
}

/** Measures phases of an API server whose audit log is the file `auditLog`. */
export function phases(kube: KubeServer, auditLog: string) {
  const all: Phase[] = []
  const none: ServerMetrics = { cpuSeconds: 0, megabytes: 0, bytes: 0 }
  return {
    all,
    /** Measures the API server's load during `act` and the following `seconds`. */
    async measure(name: string, seconds: number, act = async () => {}, restarts = false): Promise<void> {
      process.stderr.write(`  ${name}\n`)
      const before = restarts ? none : await serverMetrics(kube)
      const began = Date.now()
      await act()
      const from = restarts ? Date.now() : began
      await sleep(seconds * 1000)
      const to = Date.now()
      const after = await serverMetrics(kube)
      const requests = readFileSync(auditLog, 'utf8')
        .split('\n')
        .flatMap((line) => auditedRequest(line) ?? [])
      all.push({
        name,
        seconds: (to - from) / 1000,
        requests: countRequests(requests, from, to),
        cpuSeconds: after.cpuSeconds - before.cpuSeconds,
        megabytes: after.megabytes,
        bytes: after.bytes - before.bytes,
      })
    },
  }
}
