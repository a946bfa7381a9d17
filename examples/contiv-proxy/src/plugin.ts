import type { Netns } from '@cni/netns'
import { type AttachmentContext, type DelContext, definePlugin, netConf } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import * as z from 'zod/mini'
import { announce, LOG_FILE, logTo } from './call-log.ts'
import { callDaemon, probeDaemon, type Reply } from './client.ts'
import { contivError, failureOf } from './failure.ts'
import { withProcPath } from './holder.ts'
import type { Method } from './protocol.ts'
import { toResult } from './result.ts'

const SOCKET = '/run/contiv/contiv-cni.sock'

const contiv = z.object({
  socket: z._default(z.string().check(z.startsWith('/')), SOCKET),
  /** Path of the file to which the plugin logs its calls. With `''` the plugin logs only to stderr. */
  log_file: z._default(z.string().check(z.regex(/^(\/.*)?$/)), LOG_FILE),
  /** Result of a DEL while the Contiv daemon does not run. Container runtimes retry a failed DEL. */
  unreachable_del: z._default(z.enum(['succeed', 'fail']), 'succeed'),
})

const DEFAULTS: z.output<typeof contiv> = { socket: SOCKET, log_file: LOG_FILE, unreachable_del: 'succeed' }

/** CNI plugin that forwards ADD and DEL to the Contiv daemon, which connects the pod. */
export const plugin = definePlugin({
  name: 'contiv-proxy',
  config: netConf({ contiv: z._default(contiv, DEFAULTS) }),
  log: ({ conf }) => (conf === undefined ? {} : logTo(conf.contiv.log_file)),

  async add(c) {
    announce(c)
    const { socket } = c.conf.contiv
    if (c.args.size === 0) {
      throw new CniError(ErrorCode.invalidEnvironment, 'CNI_ARGS: empty, expected K8S_POD_NAME and others', {
        hint: 'this plugin serves Kubernetes pods',
      })
    }
    const reply = await ask(c, 'AddPod', socket, c.netns)
    const failure = failureOf(reply)
    if (failure !== undefined) throw failure
    // The pod's endpoint exists after this request to the daemon. A failed ADD must therefore delete the endpoint.
    c.undo(async ({ signal }) => void (await ask({ ...c, signal }, 'DelPod', socket, c.netns)))
    return toResult(reply.kind === 'answer' ? reply.response : {}, c.ifName, c.netns.path)
  },

  async del(c) {
    announce(c)
    const { socket, unreachable_del: unreachable } = c.conf?.contiv ?? DEFAULTS
    if (c.args.size === 0) return c.log.warn('CNI_ARGS is empty: the daemon cannot be told which pod is gone')
    const reply = await askToDelete(c, socket)
    const failure = failureOf(reply)
    if (failure === undefined) return
    if (reply.kind === 'unreachable' && unreachable === 'fail') throw failure
    c.log.warn('the daemon did not delete the pod', { reason: failure.message, details: failure.details, socket })
  },

  async check(c) {
    announce(c)
    const problem = await probeDaemon(c.conf.contiv.socket, c.signal)
    if (problem !== undefined) throw contivError(ErrorCode.tryAgainLater, 'daemon unreachable', problem)
  },

  async status(c) {
    announce(c)
    const problem = await probeDaemon(c.conf.contiv.socket, c.signal)
    if (problem !== undefined) throw contivError(ErrorCode.pluginNotAvailable, 'daemon unreachable', problem)
  },
})

/** Asks the daemon to delete the pod's endpoint. The daemon finds the endpoint by the container id. */
async function askToDelete(c: DelContext<unknown>, socket: string): Promise<Reply> {
  try {
    return await ask(c, 'DelPod', socket, c.netns)
  } catch (error) {
    if (c.signal.aborted) throw error
    c.log.warn('the namespace cannot be named to the daemon', { error })
    return ask(c, 'DelPod', socket, undefined)
  }
}

async function ask(c: AttachmentContext, method: Method, socket: string, pod: Netns | undefined): Promise<Reply> {
  const send = (netns?: string): Promise<Reply> => {
    // Compares the keys of CNI_ARGS without regard to upper and lower case, as the original Contiv plugin does.
    const args = new Map([...c.args].map(([key, value]) => [key.toUpperCase(), value]))
    const request = {
      name: args.get('K8S_POD_NAME'),
      namespace: args.get('K8S_POD_NAMESPACE'),
      infraContainerID: args.get('K8S_POD_INFRA_CONTAINER_ID'),
      netns,
      ifName: c.ifName,
    }
    return callDaemon(socket, method, request, c.signal)
  }
  return pod === undefined ? send() : withProcPath(pod, c.signal, send)
}
