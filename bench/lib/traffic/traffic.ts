import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Netns, netns } from '@cni/netns'
import * as z from 'zod/mini'
import { addresses, type Name, type PtpNode } from '../../../packages/istio-node-level/test/ptp-node.ts'

const trafficSchema = z.object({
  /** Total number of connections that the traffic client has opened. */
  opened: z.number(),
  /** Average time of a short connection with one request, in milliseconds. */
  connectionMs: z.number(),
  megabyteMs: z.number(),
  /** Median time of a request on a connection that stays open. */
  requestMs: z.number(),
})

/** Times that one traffic client has measured. */
export type Traffic = Readonly<z.infer<typeof trafficSchema>>

/** Direction and amount of the traffic that the benchmark sends between two pods. */
export interface TrafficOptions {
  readonly from: Name
  readonly to: Name
  /** Number of short connections in sequence, each with one request. */
  readonly connections: number
  /** Number of requests that the client sends in sequence on one connection. */
  readonly requests: number
  /** Number of megabytes in the response on the long connection. */
  readonly megabytes: number
}

/** Starts a traffic server as a process in the pod's network namespace. */
export async function startTrafficServer(pod: Netns): Promise<AsyncDisposable> {
  const [file, ...args] = command('traffic-server')
  const child = netns.run(pod, () => spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'close').then(() => Promise.reject(new Error('the server stopped before it listened'))),
  ])
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** Runs the traffic client as a process in a pod's namespace, and returns its measurements. */
export async function trafficFrom(node: PtpNode, options: TrafficOptions): Promise<Traffic> {
  const { from, to, connections, requests, megabytes } = options
  const argv = [...command('traffic-client'), addresses[to], `${connections}`, `${requests}`, `${megabytes}`] as const
  const { stdout } = await netns.exec(node.at[from], argv)
  return z.parse(trafficSchema, JSON.parse(stdout))
}

// internal

/** Program and arguments that run a script beside this file. */
const command = (script: 'traffic-client' | 'traffic-server') =>
  [
    process.execPath,
    '--conditions=@cni/source',
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(new URL(`${script}.ts`, import.meta.url)),
  ] as const
