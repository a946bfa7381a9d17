import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@cni/types'
import { expect, vi } from 'vitest'
import * as z from 'zod/mini'
import type { CriClient } from './cri-client.ts'
import { IMAGE } from './image.ts'
import { throwAway } from './throw-away.ts'

/** Options of a test pod. All other members of the CRI request have kubelet's values. */
export interface PodSpec {
  readonly name: string
  readonly namespace?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly portMappings?: readonly { readonly containerPort: number; readonly hostPort: number }[]
}

/** Test double of kubelet: starts pods through CRI. */
export type Kubelet = ReturnType<typeof kubelet>

/** Running pod sandbox of the container runtime. */
export type Sandbox = Awaited<ReturnType<Kubelet['run']>>

export type Container = Awaited<ReturnType<Sandbox['container']>>

const idSchema = z.object({ podSandboxId: z.string() })
const containerIdSchema = z.object({ containerId: z.string() })
const listSchema = z.object({ items: z.array(z.object({ id: z.string() })) })
const infoSchema = z.object({ info: z.record(z.string(), z.string()) })
const outputSchema = z.object({
  stdout: z.instanceof(Uint8Array),
  stderr: z.instanceof(Uint8Array),
  exitCode: z.number(),
})
const networkSchema = z.object({
  status: z.object({ network: z.object({ ip: z.string(), additionalIps: z.array(z.object({ ip: z.string() })) }) }),
})
const namespacesSchema = z.object({
  runtimeSpec: z.object({
    linux: z.object({ namespaces: z.array(z.object({ type: z.string(), path: z.optional(z.string()) })) }),
  }),
})
const cniSchema = z.object({ Networks: z.array(z.object({ Config: z.object({ Source: z.string() }) })) })

/** Repeats `work` while containerd has no CNI network, which happens while a conflist is being rewritten. */
async function untilReady<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const comesAgain = messageOf(error).includes('cni plugin not initialized') && performance.now() < deadline
      if (!comesAgain) throw error
      await delay(50)
    }
  }
}

export function kubelet(cri: CriClient) {
  const stop = (id: string) => untilReady(() => cri.call('StopPodSandbox', { podSandboxId: id }))
  const remove = (id: string) => untilReady(() => cri.call('RemovePodSandbox', { podSandboxId: id }))
  return {
    async run(spec: PodSpec, timeoutMs?: number) {
      const config = sandboxConfig(spec)
      const { podSandboxId: id } = z.parse(idSchema, await cri.call('RunPodSandbox', { config }, timeoutMs))
      const status = await cri.call('PodSandboxStatus', { podSandboxId: id, verbose: true })
      const { network } = z.parse(networkSchema, status).status
      return {
        /** Path of the sandbox's network namespace. */
        netns: netnsPath(status),
        ips: [network.ip, ...network.additionalIps.map(({ ip }) => ip)],
        /** Starts a container in the sandbox under the user ID. Its only process sleeps. */
        container: (uid: number) => startContainer(cri, id, config, uid),
        stop: () => stop(id),
        remove: () => remove(id),
      }
    },
    /** Waits until the container runtime has loaded a conflist that equals the given conflist or matcher. */
    async untilLoaded(wanted: object) {
      const look = async (): Promise<void> => {
        const { info } = z.parse(infoSchema, await cri.call('Status', { verbose: true }))
        const { Networks } = z.parse(cniSchema, JSON.parse(info.cniconfig ?? '{}'))
        expect(Networks.map(({ Config }) => JSON.parse(Config.Source))).toContainEqual(wanted)
      }
      await vi.waitFor(look, { timeout: 10_000, interval: 20 })
    },
    /** Stops and removes all pods of the container runtime. */
    async drain() {
      const { items } = z.parse(listSchema, await cri.call('ListPodSandbox', {}))
      await Promise.all(items.map(({ id }) => stop(id).then(() => remove(id))))
    },
  }
}

async function startContainer(cri: CriClient, sandbox: string, sandboxConf: object, uid: number) {
  const config = {
    metadata: { name: `user-${uid}` },
    image: { image: IMAGE },
    linux: { securityContext: { runAsUser: { value: uid } } },
  }
  const request = { podSandboxId: sandbox, config, sandboxConfig: sandboxConf }
  const { containerId } = z.parse(containerIdSchema, await cri.call('CreateContainer', request))
  await cri.call('StartContainer', { containerId })
  return {
    /** Runs a command in the container, waits for its end, and returns the command's stdout. */
    async exec(...cmd: readonly string[]) {
      const { stdout, stderr, exitCode } = z.parse(
        outputSchema,
        await cri.call('ExecSync', { containerId, cmd, timeout: 10 }),
      )
      if (exitCode !== 0) throw new Error(`${cmd.join(' ')} failed with exit code ${exitCode}: ${text(stderr)}`)
      return text(stdout)
    },
  }
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const sandboxConfig = ({ name, namespace = 'demo', annotations = {}, portMappings = [] }: PodSpec) => ({
  metadata: { name, uid: randomUUID(), namespace, attempt: 0 },
  hostname: name,
  annotations,
  portMappings,
  linux: { cgroupParent: throwAway().cgroup },
})

function netnsPath(status: unknown): string {
  const { info } = z.parse(infoSchema, status)
  const { namespaces } = z.parse(namespacesSchema, JSON.parse(info.info ?? '{}')).runtimeSpec.linux
  const path = namespaces.find(({ type }) => type === 'network')?.path
  if (path === undefined) throw new Error('the sandbox has no network namespace of its own')
  return path
}
