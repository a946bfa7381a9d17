import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { programFlags } from '../program-flags.ts'
import type { ZtunnelBehaviour } from './behaviour.ts'
import type { Ztunnel, ZtunnelView } from './ztunnel.ts'

/**
 * Starts a stand-in for ztunnel as a process that can be killed. The stand-in speaks ZDS as ztunnel 1.30 does, and
 * forwards connections without HBONE. Needs root. Resolves when the process runs. The returned object's properties are
 * updated with a short delay.
 *
 * @param options - `path`: the agent's socket
 */
export async function spawnZtunnel({
  path,
  behaviour = {},
}: {
  readonly path: string
  readonly behaviour?: ZtunnelBehaviour | undefined
}): Promise<Ztunnel> {
  const name = `stand-in-ztunnel${extname(import.meta.url)}`
  // In the build, `processes` is in this module's folder. In the sources, it is in the parent folder.
  const script = fileURLToPath(
    new URL(`${import.meta.url.includes('/ztunnel/') ? '..' : '.'}/processes/${name}`, import.meta.url),
  )
  const argv = [...programFlags(), script, path, JSON.stringify(behaviour)]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  let view: ZtunnelView = { pods: new Map(), ready: false, heard: [], forwarded: [] }
  child.on('message', (message) => {
    view = readView(message)
  })
  const ended = endOf(child)
  await Promise.race([once(child, 'message'), ended.then((code) => Promise.reject(new Error(`it ended with ${code}`)))])
  const end = (signal: NodeJS.Signals) => (): Promise<number> => {
    child.kill(signal)
    return ended
  }
  return {
    pid: child.pid ?? 0,
    get pods() {
      return view.pods
    },
    get ready() {
      return view.ready
    },
    get heard() {
      return view.heard
    },
    get forwarded() {
      return view.forwarded
    },
    behave: (next: ZtunnelBehaviour) => void child.send(next),
    stop: end('SIGTERM'),
    kill: end('SIGKILL'),
    ended,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')()),
  }
}

// internal

const viewSchema = z.object({
  pods: z.array(
    z.object({
      uid: z.string(),
      workload: z.object({ name: z.string(), namespace: z.string(), serviceAccount: z.string() }),
      namespace: z.string(),
      problem: z.optional(z.string()),
    }),
  ),
  ready: z.boolean(),
  heard: z.array(z.string()),
  forwarded: z.array(
    z.object({ direction: z.enum(['inbound', 'outbound', 'hbone']), from: z.string(), to: z.string() }),
  ),
})

function readView(message: unknown): ZtunnelView {
  const { pods, ...rest } = z.parse(viewSchema, JSON.parse(String(message)))
  return { ...rest, pods: new Map(pods.map((pod) => [pod.uid, pod])) }
}

async function endOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'close')
  return typeof code === 'number' ? code : 137
}
