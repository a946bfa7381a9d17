import { quote } from '@cni/types'
import * as z from 'zod/mini'
import { CriError } from './cri-error.ts'
import type { StatusMessage } from './status-message.ts'

/**
 * A container runtime's report on its network. The texts come from the runtime: shorten and escape them before
 * printing.
 */
export interface RuntimeAnswer {
  /**
   * Name of the container runtime. `undefined` if the answer does not identify the runtime: CRI-O and cri-dockerd give
   * equal answers.
   */
  readonly runtime: 'containerd' | undefined
  /** Value of the container runtime's condition `NetworkReady`; `undefined` if the answer has no such condition. */
  readonly networkReady: boolean | undefined
  /** Reason why the container runtime's network is not ready. May be empty. */
  readonly reason: string
  /**
   * Networks that the runtime has loaded, loopback included. `undefined` for runtimes other than containerd, which do
   * not report networks.
   */
  readonly loaded: LoadedNetworks | undefined
}

/** Networks that a container runtime has loaded from its CNI network folder. */
export interface LoadedNetworks {
  /** CNI network folder of the container runtime, as the runtime reports it. */
  readonly folder: string
  readonly networks: readonly LoadedNetwork[]
  /** Error of the container runtime's last attempt to load its CNI network folder. */
  readonly error: string | undefined
}

/** One network (plugin list) that a container runtime has loaded. */
export interface LoadedNetwork {
  readonly name: string
  /** Name of the pod's interface in the network, such as `eth0`. */
  readonly interfaceName: string
  /**
   * Types of the network's plugins, in order. After a Multus plugin, the list also contains the plugins in its
   * `delegates`.
   */
  readonly types: readonly string[]
}

/** Converts a CRI StatusResponse to a report on the container runtime's network. */
export function runtimeAnswer({ conditions, info }: StatusMessage): RuntimeAnswer {
  const network = conditions.find(({ type }) => type === 'NetworkReady')
  const config = info.get('cniconfig')
  const lastLoad = info.get('lastCNILoadStatus.default') ?? info.get('lastCNILoadStatus')
  return {
    runtime: config === undefined && lastLoad === undefined ? undefined : 'containerd',
    networkReady: network?.status,
    reason: [network?.reason, network?.message].filter((part) => part !== undefined && part !== '').join(': '),
    loaded:
      config === undefined
        ? undefined
        : { ...readConfig(config), error: lastLoad === undefined || lastLoad === 'OK' ? undefined : lastLoad },
  }
}

// internal

const namedPlugin = z.object({ type: z.nullish(z.string()) })

/** Schema of containerd's `cniconfig`. Go may print an empty list as `null`. */
const configSchema = z.object({
  PluginConfDir: z.nullish(z.string()),
  Networks: z.nullish(
    z.array(
      z.object({
        IFName: z.nullish(z.string()),
        Config: z.object({
          Name: z.nullish(z.string()),
          Plugins: z.nullish(z.array(z.object({ Network: namedPlugin, Source: z.nullish(z.string()) }))),
        }),
      }),
    ),
  ),
})

/** Schema of a Multus plugin. Multus copies the node's network into `delegates`: a single plugin, or a whole list. */
const multusSchema = z.object({
  type: z.string().check(z.startsWith('multus')),
  delegates: z.array(z.object({ type: z.nullish(z.string()), plugins: z.nullish(z.array(namedPlugin)) })),
})

function readConfig(text: string): Omit<LoadedNetworks, 'error'> {
  const config = fromJson(text, configSchema)
  if (config === undefined) throw new CriError(`its cniconfig is not what containerd answers: ${quote(text)}`)
  return {
    folder: config.PluginConfDir ?? '',
    networks: (config.Networks ?? []).map(({ IFName, Config: { Name, Plugins } }) => ({
      name: Name ?? '',
      interfaceName: IFName ?? '',
      types: (Plugins ?? []).flatMap(({ Network, Source }) => typesOf([Network, ...delegatesIn(Source ?? '')])),
    })),
  }
}

const delegatesIn = (source: string) =>
  (fromJson(source, multusSchema)?.delegates ?? []).flatMap((delegate) => [delegate, ...(delegate.plugins ?? [])])

const typesOf = (plugins: readonly z.infer<typeof namedPlugin>[]): string[] => plugins.flatMap(({ type }) => type ?? [])

function fromJson<T>(text: string, schema: z.ZodMiniType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    // containerd's `cniconfig`, or a plugin's `Source`, is not JSON. Invalid text counts as missing.
    return undefined
  }
}
