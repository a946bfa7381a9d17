import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import * as z from 'zod/mini'
import { connectMarked } from '../../../packages/istio-redirect/src/testing/node/ztunnel/marked-sockets.ts'
import { ask, outputOf } from '../../../packages/istio-redirect/test/stage/agent-node.ts'

interface ZtunnelProcessOptions {
  /** Path of ztunnel's executable. */
  readonly file: string
  /** Path of the agent's socket, to which ztunnel connects. */
  readonly path: string
  /**
   * Mesh configuration in YAML that istiod would send ztunnel. It does not change while ztunnel runs. Default: empty.
   */
  readonly mesh?: string
}

/**
 * Starts a real ztunnel in a network namespace of its own, as in a cluster. The real ztunnel makes its own certificates
 * and needs no istiod.
 */
export async function startZtunnelProcess({ file, path, mesh = '{}' }: ZtunnelProcessOptions) {
  await using starting = new AsyncDisposableStack()
  const own = starting.use(await tempNetns())
  const env = {
    PROXY_MODE: 'shared',
    NODE_NAME: 'n1',
    CLUSTER_ID: 'Kubernetes',
    FAKE_CA: 'true',
    XDS_ADDRESS: '',
    LOCAL_XDS: mesh,
    INPOD_UDS: path,
    RUST_LOG: 'info',
  }
  // ztunnel also reads settings below its working directory, so the test starts it in `/`.
  const child = netns.run(own, () =>
    spawn(file, ['proxy', 'ztunnel'], { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  const log = outputOf(child)
  const ended = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : 137))
  const get = (port: number, path: string) => {
    const createConnection = () => new Socket({ fd: connectMarked(own, { address: '127.0.0.1', port }) })
    // Passes no HTTP agent, because an HTTP agent ignores `createConnection`.
    return ask({ agent: undefined, createConnection, path })
  }
  const end = (signal: NodeJS.Signals) => (): Promise<number> => {
    child.kill(signal)
    return ended
  }
  const kill = end('SIGKILL')
  starting.defer(async () => void (await kill()))
  await once(child, 'spawn')
  const all = starting.move()
  return {
    ended,
    stop: end('SIGTERM'),
    kill,
    log,
    // A failed request to ztunnel means not ready: ztunnel does not listen yet, or has ended.
    ready: () =>
      get(15021, '/healthz/ready').then(
        ({ status }) => status === 200,
        () => false,
      ),
    async pods() {
      const { workloadState } = z.parse(dumpSchema, JSON.parse((await get(15000, '/config_dump')).body))
      return Object.entries(workloadState)
        .filter(([, { state }]) => state === 'Up')
        .map(([uid]) => uid)
        .toSorted()
    },
    /** Reads connection counts from ztunnel's metrics, by kind, such as `source web to shop with mutual_tls`. */
    async connections() {
      const { body } = await get(15020, '/metrics')
      const counts: Record<string, number> = {}
      for (const [, labels = '', count] of body.matchAll(/^istio_tcp_connections_opened_total\{(.*)\} (\d+)$/gm)) {
        const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1]
        const [from, to, policy] = [of('source_workload'), of('destination_workload'), of('connection_security_policy')]
        const told = `${of('reporter')} ${from} to ${to} with ${policy}`
        // ztunnel counts connections to a service separately from connections to the pod. The test adds both numbers.
        counts[told] = (counts[told] ?? 0) + Number(count)
      }
      return counts
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

// internal

const dumpSchema = z.object({
  workloadState: z.record(z.string(), z.object({ state: z.enum(['Pending', 'Up']) })),
})
