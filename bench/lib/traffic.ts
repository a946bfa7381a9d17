import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Netns, netns } from '@cni/netns'
import * as z from 'zod/mini'
import { addresses, type Name, type PtpNode } from '../../packages/istio-node-level/test/ptp-node.ts'

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
  const child = start(pod, 'traffic-server', [])
  await Promise.race([
    once(child.stdout ?? child, 'data'),
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
  const child = start(node.at[from], 'traffic-client', [addresses[to], connections, requests, megabytes])
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the client ended with ${code}`)
  return z.parse(trafficSchema, JSON.parse(text))
}

// internal

/** Starts a script as a child process in the pod's namespace. The child stays in that namespace. */
function start(pod: Netns, script: string, args: readonly (string | number)[]): ChildProcess {
  const path = fileURLToPath(new URL(`${script}.ts`, import.meta.url))
  const argv = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning', path, ...args.map(String)]
  return netns.run(pod, () => spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] }))
}
