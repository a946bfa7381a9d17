import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunOptions, type RunResult, run } from '@cni/host'
import { vi } from 'vitest'
import { archive, layer } from '../../scripts/lib/image/oci.ts'
import type { Entry } from '../../scripts/lib/image/tar.ts'

/** Cluster program and folder. `npm run test:cluster` sets the variables `CNI_KUBERNETES` and `K8S_DIR`. */
const [script, folder] = [process.env.CNI_KUBERNETES ?? '', process.env.K8S_DIR ?? '']

/** Root folder of the cluster's node, as a path on the test's machine. */
export const nodeFolder = join(folder, 'root')

/** Time limit of each wait for the cluster. A busy machine may need many times the usual seconds. */
const PATIENCE_MS = 180_000

/** Members of a Kubernetes pod that the cluster tests read. */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly status: {
    readonly phase: string
    readonly podIP?: string
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

export interface ContainerStatus {
  readonly name: string
  readonly restartCount: number
  readonly containerID?: string
  readonly state?: { readonly terminated?: Terminated }
  readonly lastState?: { readonly terminated?: Terminated }
}

interface Terminated {
  readonly exitCode: number
  readonly message?: string
}

type Options = Pick<RunOptions, 'input'> & { reject?: boolean }

const call = (args: readonly string[], options: Options = {}): Promise<RunResult> =>
  run([script, ...args], { timeout: PATIENCE_MS, env: { ...process.env, K8S_DIR: folder }, ...options })

/** Runs a program on the cluster's node. */
export const onNode = async (argv: readonly string[], options?: Options): Promise<string> =>
  (await call(['exec', ...argv], options)).stdout

/** Runs a shell script on the cluster's node. */
export const shell = (text: string): Promise<string> => onNode(['bash', '-euc', text])

type Service = 'kubelet' | 'containerd' | 'apiserver'

/** Starts, stops, restarts or kills a service of the cluster, such as kubelet. */
export const service = (action: 'start' | 'stop' | 'restart' | 'kill', name: Service) => call(['svc', action, name])

export const kubectl = async (args: readonly string[], options?: Options): Promise<string> =>
  (await call(['kubectl', ...args], options)).stdout

/** Builds an image, and loads it into the container runtime of the cluster's node. */
export async function loadImage(name: string, ...layers: readonly (readonly Entry[])[]): Promise<void> {
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'cluster-image-'))
  const settings = { time: 0, compression: 'zstd', cache: scratch.path } as const
  const built = await Promise.all(layers.map((entries) => layer(entries, settings)))
  const tar = join(scratch.path, 'image.tar')
  writeFileSync(tar, archive([{ architecture: 'amd64', layers: built }], { name, time: 0, about: {} }))
  await call(['load', tar])
}

/** Creates or updates Kubernetes objects in the cluster. */
export const apply = (...objects: readonly object[]): Promise<string> =>
  kubectl(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) })

export async function pods(namespace: string, selector: string): Promise<Pod[]> {
  const { items } = JSON.parse(await kubectl(['get', 'pods', '-n', namespace, '-l', selector, '-o', 'json']))
  return items
}

export async function pod(namespace: string, name: string): Promise<Pod> {
  return JSON.parse(await kubectl(['get', 'pod', '-n', namespace, name, '-o', 'json']))
}

export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

/** Calls `look` until it returns a value. `what` describes the value in the error message. */
export function until<T>(what: string, look: () => Promise<T | false | undefined>, timeout = PATIENCE_MS): Promise<T> {
  const find = async (): Promise<T> => {
    const found = await look()
    if (found === false || found === undefined) throw new Error('no value so far')
    return found
  }
  return vi.waitFor(find, { timeout, interval: 200, message: `gave up waiting: ${what}` })
}

/** Waits until a pod of the cluster is ready. */
export const ready = (namespace: string, name: string): Promise<Pod> =>
  until(`pod ${name} is ready`, async () => {
    const found = await pod(namespace, name)
    return isReady(found) && found
  })

/** Lists the Kubernetes events about an object, as `reason: message`. */
export async function events(namespace: string, name: string): Promise<string[]> {
  const selector = `involvedObject.name=${name}`
  const { items } = JSON.parse(
    await kubectl(['get', 'events', '-n', namespace, `--field-selector=${selector}`, '-o', 'json']),
  )
  return items.map(({ reason, message }: { reason: string; message: string }) => `${reason}: ${message}`)
}
