/** Starts stand-ins for the proxy, a server and an application in a pod, as processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NetnsTarget, netns } from '@cni/netns'
import * as z from 'zod/mini'
import { programFlags } from './program-flags.ts'

const answerSchema = z.object({
  served_by: z.string(),
  pid: z.number(),
  uid: z.number(),
  listener: z.number(),
  from: z.optional(z.string()),
  original_dst: z.optional(z.string()),
})
const connectionSchema = z.object({
  to: z.string(),
  answer: z.optional(z.nullable(answerSchema)),
  error: z.optional(z.string()),
})

/** Connection that the application's stand-in has tried: its destination, and the answer or the error. */
export interface Connection {
  readonly to: string
  /** Answer of the stand-in that accepted the connection. */
  readonly answer?:
    | {
        readonly served_by: string
        readonly pid: number
        readonly uid: number
        readonly listener: number
        /** Address of the client, as the server saw it. Only ordinary servers report it. */
        readonly from?: string | undefined
        /** Original destination of a redirected connection, as `address:port`. Only the proxy's stand-in reports it. */
        readonly original_dst?: string | undefined
      }
    | null
    | undefined
  readonly error?: string | undefined
}

/** Process of a stand-in for a proxy or a server. */
export interface StandIn extends AsyncDisposable {
  readonly pid: number
}

/**
 * Starts a stand-in for Envoy that reports original destinations. Default: ports 15001 and 15006, user 1337. With
 * `transparent`, the stand-in also accepts connections that TPROXY redirects.
 */
export const startProxy = (
  target: NetnsTarget,
  {
    uid = 1337,
    ports = [15001, 15006],
    transparent = false,
  }: { readonly uid?: number; readonly ports?: readonly number[]; readonly transparent?: boolean } = {},
): Promise<StandIn> => startServer(target, 'stand-in-proxy', [uid, ...ports, ...(transparent ? ['transparent'] : [])])

/** Starts an ordinary server in the namespace of a pod or node. The server answers each connection with `name`. */
export const startApp = (
  target: NetnsTarget,
  options: { name: string; ports: readonly number[]; uid?: number },
): Promise<StandIn> => startServer(target, 'app-server', [options.uid ?? 1000, options.name, ...options.ports])

/** Connects to the destinations one by one from the namespace, as `user`. A plain number is both user and group ID. */
export async function connectFrom(
  target: NetnsTarget,
  user: number | { uid: number; gid: number },
  destinations: ReadonlyArray<{ host: string; port: number }>,
): Promise<Connection[]> {
  const { uid, gid } = typeof user === 'number' ? { uid: user, gid: user } : user
  const child = start(target, 'connect', [`${uid}:${gid}`, ...destinations.flatMap(({ host, port }) => [host, port])])
  const [stdout] = await Promise.all([textOf(child.stdout), once(child, 'close')])
  if (child.exitCode !== 0) throw new Error(`connect failed with exit code ${child.exitCode}`)
  return z.parse(z.array(connectionSchema), JSON.parse(stdout))
}

/** User and group ID of a stand-in's process. */
export type User = Parameters<typeof connectFrom>[1]

async function startServer(target: NetnsTarget, script: string, args: readonly (string | number)[]): Promise<StandIn> {
  const child = start(target, script, args)
  const closed = once(child, 'close')
  await Promise.race([
    new Promise<void>((resolve) => child.stdout?.once('data', () => resolve())),
    closed.then(() => Promise.reject(new Error(`${script} stopped before it listened (exit code ${child.exitCode})`))),
  ])
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** Starts a stand-in's process in the network namespace. */
function start(target: NetnsTarget, script: string, args: readonly (string | number)[]): ChildProcess {
  const path = fileURLToPath(new URL(`processes/${script}${extname(import.meta.url)}`, import.meta.url))
  const argv = [...programFlags(), path, ...args.map(String)]
  return netns.run(target, () => spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] }))
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = ''
  for await (const chunk of stream ?? []) text += String(chunk)
  return text
}
