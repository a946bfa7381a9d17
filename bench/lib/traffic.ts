import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Netns, netns } from '@cni/netns'
import * as z from 'zod/mini'
import { addresses, type Name, type PtpNode } from '../../packages/istio-node-level/test/ptp-node.ts'

const trafficSchema = z.object({
  /** How many connections were opened for all of it. */
  opened: z.number(),
  /** Of each, with a request. */
  connectionMs: z.number(),
  megabyteMs: z.number(),
  /** The median of requests on one connection. */
  requestMs: z.number(),
})

/** What one client has measured. */
export type Traffic = Readonly<z.infer<typeof trafficSchema>>

/** How much traffic there is, from where to where. */
export interface TrafficOptions {
  readonly from: Name
  readonly to: Name
  /** Short ones, one after the other, each with a request. */
  readonly connections: number
  /** On one connection, one after the other. */
  readonly requests: number
  /** Of one answer. */
  readonly megabytes: number
}

/** A server in a pod, in a process of its own. */
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

/** Traffic of a client in a process of its own. */
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

/** The child keeps the namespace it was started in. */
function start(pod: Netns, script: string, args: readonly (string | number)[]): ChildProcess {
  const path = fileURLToPath(new URL(`${script}.ts`, import.meta.url))
  const argv = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning', path, ...args.map(String)]
  return netns.run(pod, () => spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] }))
}
