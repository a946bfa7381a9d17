import type { KubeServer } from '../../packages/kube/test/kube-server.ts'

/** CPU time, memory and sent bytes of a kube-apiserver since its start. */
export interface ServerMetrics {
  readonly cpuSeconds: number
  readonly megabytes: number
  /** Bytes of list responses only. Watch events would include kube-apiserver's watches of itself. */
  readonly bytes: number
}

/** Reads CPU time, memory and sent bytes from the metrics endpoint of kube-apiserver. */
export async function serverMetrics({ admin }: KubeServer): Promise<ServerMetrics> {
  const chunks: Uint8Array[] = []
  const request = { method: 'GET', path: '/metrics', onData: (chunk: Uint8Array) => void chunks.push(chunk) } as const
  await admin.send(request, { signal: AbortSignal.timeout(60_000) })
  const text = Buffer.concat(chunks).toString('utf8')
  return {
    cpuSeconds: sum(text, 'process_cpu_seconds_total'),
    megabytes: sum(text, 'process_resident_memory_bytes') / 1e6,
    bytes: sum(text, 'apiserver_response_sizes_sum', 'verb="LIST"'),
  }
}

/** Adds the values of a metric whose line contains `label`. */
export function sum(text: string, name: string, label = ''): number {
  let total = 0
  for (const line of text.split('\n')) {
    if (!line.startsWith(name) || !/[ {]/.test(line.charAt(name.length)) || !line.includes(label)) continue
    total += Number(line.slice(line.lastIndexOf(' ') + 1))
  }
  return total
}
