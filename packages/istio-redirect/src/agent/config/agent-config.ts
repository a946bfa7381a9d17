import { basename, join } from 'node:path'
import { apiServerUrl, type InstallerOptions, isInstallError, type RuntimeReading } from '@cni/installer'
import { quote } from '@cni/types'
import { SERVE_SOCKET } from '../../serve/socket.ts'
import { type LogSettings, parseLevels, pluginLevel } from '../log/levels.ts'
import type { ApiAccess, CriConfig, PluginTokenConfig, RepairConfig, ServeConfig } from '../shared/deps.ts'
import type { AmbientConfig, NodeLevelConfig } from './ambient-config.ts'
import { backendFile } from './backend-file.ts'
import { checkValues } from './check-values.ts'
import { ConfigError } from './config-error.ts'
import { neededFolders } from './node-folders.ts'
import { commaList, pluginEntry } from './plugin-entry.ts'
import { redirectModeOf } from './redirect-mode.ts'
import type { Resolved } from './resolve.ts'
import { nodeLevelSelectors, parseSelectors } from './selectors.ts'
import type { Values } from './variables.ts'

/** Configuration of the agent, with one member for each service of the agent. */
export interface AgentConfig {
  readonly install: InstallerOptions
  readonly log: LogSettings
  readonly logSocket: string
  readonly healthPort: number
  /** Port of the metrics server. 0 or less disables the server. */
  readonly monitoringPort: number
  readonly api: ApiAccess
  /** Service account and token file for the plugin. `undefined`: the plugin uses the agent's own token. */
  readonly pluginToken: PluginTokenConfig | undefined
  /** True if a stopping agent changes nothing on the node when another agent replaces it. */
  readonly safeUpgrade: boolean
  /** Settings for the repair of broken pods. Absent if no repair action is enabled. */
  readonly repair: RepairConfig | undefined
  /**
   * Settings of the socket on which plugins ask the agent for decisions. `undefined` means that the plugin decides
   * itself.
   */
  readonly serve: ServeConfig | undefined
  /** Settings of ambient mode. `undefined` means that ambient mode is off. */
  readonly ambient: AmbientConfig | undefined
  /** Settings for queries to the container runtime. `undefined` means that the agent sends no queries. */
  readonly cri: CriConfig | undefined
  /** Values of all settings, from which this configuration is derived. */
  readonly values: Values
  /** Warnings about invalid or unusual settings, as sentences for the log. */
  readonly warnings: readonly string[]
}

/**
 * Derives the agent's configuration from the values of its settings.
 *
 * @throws {@link ConfigError} if the agent cannot work with a value. The message names the environment variable.
 */
export function agentConfig({ values, warnings }: Resolved): AgentConfig {
  const { levels, problems } = parseLevels(values.logOutputLevel)
  checkValues(values)
  const server = serverOf(values)
  const caFile = values.kubeCaFile || join(values.serviceAccountDir, 'ca.crt')
  const tokenFile = join(values.serviceAccountDir, 'token')
  const pluginToken = pluginTokenConfig(values)
  return {
    install: {
      plugin: pluginEntry(values, pluginLevel(levels)),
      netDir: values.mountedCniNetDir,
      binDirs: commaList(values.mountedCniBinDirs),
      sourceDir: values.cniBinSourceDir,
      ...neededFolders(values),
      mode: modeOf(values),
      confName: values.cniConfName || undefined,
      pin: values.pinCniConf,
      confMode: values.cniConfGroupRead ? 0o640 : 0o600,
      runtime: runtimeOf(values.criSocket),
      kubeconfig: {
        path: join(values.cniAgentRunDir, 'istio-cni-kubeconfig'),
        server,
        tokenFile: pluginToken?.file ?? tokenFile,
        caFile,
        skipTls: values.skipTlsVerify,
        mode: values.kubeconfigMode,
      },
      claimFile: join(values.cniAgentRunDir, 'agent.json'),
    },
    log: { levels, json: values.logAsJson ?? 'unless-terminal', targets: commaList(values.logTarget) },
    logSocket: join(values.cniAgentRunDir, 'log.sock'),
    healthPort: values.healthPort,
    monitoringPort: values.monitoringPort,
    api: { server, tokenFile, caFile: join(values.serviceAccountDir, 'ca.crt'), namespace: values.podNamespace },
    pluginToken,
    safeUpgrade: !values.ambientDisableSafeUpgrade,
    repair: repairConfig(values),
    serve: serveConfig(values),
    ambient: ambientConfig(values),
    cri: criConfig(values),
    values,
    warnings: [...warnings, ...problems, ...settingWarnings(values)],
  }
}

function serverOf(values: Values): string {
  try {
    return apiServerUrl({
      KUBERNETES_SERVICE_HOST: values.kubernetesServiceHost,
      KUBERNETES_SERVICE_PORT: values.kubernetesServicePort,
      KUBERNETES_SERVICE_PROTOCOL: values.kubernetesServiceProtocol,
    })
  } catch (cause) {
    if (!isInstallError(cause)) throw cause
    throw new ConfigError(
      `${cause.message} Outside of a pod, set KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT`,
      { cause },
    )
  }
}

/** Chooses the mode of the plugin's installation. `owned`: the agent writes its own network configuration. */
function modeOf(values: Values): NonNullable<InstallerOptions['mode']> {
  if (!values.chainedCniPlugin) return 'standalone'
  if (!isOwned(values)) return 'chained'
  return { owned: values.istioOwnedCniConfigFilename || '02-istio-cni.conflist' }
}

const isOwned = (values: Values): boolean => values.istioOwnedCniConfig && values.ambientEnabled

function repairConfig(values: Values): RepairConfig | undefined {
  const { repairEnabled, repairRepairPods, repairDeletePods, repairLabelPods, forceIptablesBinary } = values
  if (!repairEnabled || !(repairRepairPods || repairDeletePods || repairLabelPods)) return undefined
  return {
    repairPods: repairRepairPods,
    deletePods: repairDeletePods,
    labelPods: repairLabelPods,
    brokenPodLabelKey: values.repairBrokenPodLabelKey,
    brokenPodLabelValue: values.repairBrokenPodLabelValue,
    nodeName: values.repairNodeName,
    sidecarAnnotation: values.repairSidecarAnnotation,
    initContainerName: values.repairInitContainerName,
    initContainerTerminationMessage: values.repairInitContainerTerminationMessage,
    initContainerExitCode: values.repairInitContainerExitCode,
    labelSelectors: values.repairLabelSelectors,
    fieldSelectors: values.repairFieldSelectors,
    nativeNftables: values.nativeNftables,
    forceIptablesBinary: forceIptablesBinary === 'legacy' || forceIptablesBinary === 'nft' ? forceIptablesBinary : '',
    agentRunDir: values.cniAgentRunDir,
  }
}

const pluginTokenConfig = ({ pluginServiceAccount: account, cniAgentRunDir }: Values): PluginTokenConfig | undefined =>
  account === '' ? undefined : { account, file: join(cniAgentRunDir, 'istio-cni-token') }

const serveConfig = (values: Values): ServeConfig | undefined =>
  values.servePlugin
    ? {
        socket: join(values.cniAgentRunDir, SERVE_SOCKET),
        nodeName: values.kubernetesNodeName || values.nodeName,
      }
    : undefined

const criConfig = ({ criSocket: socket, chainedCniPlugin: chained }: Values): CriConfig | undefined =>
  socket === '' ? undefined : { socket, chained }

const runtimes = new Map<string, RuntimeReading['runtime']>([
  ['containerd.sock', 'containerd'],
  ['crio.sock', 'cri-o'],
])

/** Recognises a container runtime by the file name of its socket. */
const runtimeOf = (socket: string): RuntimeReading['runtime'] | undefined => runtimes.get(basename(socket))

/** Duration in milliseconds of a round in which ambient mode checks all pods. */
const POD_ROUND_MS = 10_000

function ambientConfig(values: Values): AmbientConfig | undefined {
  if (!values.ambientEnabled) return undefined
  const { forceIptablesBinary: forced } = values
  const nodeLevel = nodeLevelConfig(values)
  return {
    selectors: nodeLevel === undefined ? parseSelectors(values.ambientEnablementSelector) : nodeLevelSelectors,
    excludeNamespaces: commaList(values.excludeNamespaces),
    systemNamespace: values.systemNamespace,
    nodeName: values.kubernetesNodeName || values.nodeName,
    eventSocket: join(values.cniAgentRunDir, 'pluginevent.sock'),
    ztunnelSocket: values.ztunnelUdsAddress,
    capture: {
      ipv6: values.ambientIpv6,
      dnsCapture: values.ambientDnsCapture,
      probeSource: { ipv4: values.hostProbeSnatIp, ipv6: values.hostProbeSnatIpv6 },
    },
    reconcile: values.ambientReconcilePodRulesOnStartup,
    nativeNftables: values.nativeNftables,
    forceIptablesBinary: forced === 'legacy' || forced === 'nft' ? forced : '',
    backendFile: backendFile(values.cniAgentRunDir),
    switchToHost: values.allowSwitchToHostNs,
    branchInterfaces: values.ambientEnableAwsBranchEniProbe,
    podRoundMs: POD_ROUND_MS,
    optOut: nodeLevel !== undefined,
    nodeLevel,
  }
}

function nodeLevelConfig(values: Values): NodeLevelConfig | undefined {
  const mode = redirectModeOf(values)
  if (mode === 'inpod') return undefined
  return {
    mode,
    tunnel: values.ambientTunnel === 'vxlan' ? 'vxlan' : 'geneve',
    configFile: values.ambientConfigFile,
    hostIp: values.hostIp === '' ? undefined : values.hostIp,
  }
}

/** Beginning of the names of the agent's pods. The plugin recognises the agent's pods by this prefix. */
const AGENT_POD_PREFIX = 'istio-cni-node-'

function settingWarnings(values: Values): string[] {
  const warnings: string[] = []
  if ((values.kubeconfigMode & 0o400) === 0) {
    const octal = `0${values.kubeconfigMode.toString(8)}`
    warnings.push(
      `KUBECONFIG_MODE ${values.kubeconfigMode} is the mode ${octal}, which its owner cannot read: octal numbers begin with 0, as in 0600`,
    )
  }
  if (values.istioOwnedCniConfig && !isOwned(values)) {
    warnings.push(
      "ISTIO_OWNED_CNI_CONFIG has no effect without AMBIENT_ENABLED: the plugin is added to the primary network's own file",
    )
  }
  if (redirectModeOf(values) !== 'inpod') warnings.push(...nodeLevelWarnings(values))
  if (values.podName !== '' && !values.podName.startsWith(AGENT_POD_PREFIX)) {
    const why = 'without the API server, the plugin admits only pods with this prefix'
    warnings.push(
      `POD_NAME ${quote(values.podName)} does not begin with ${AGENT_POD_PREFIX}: ${why}, so this pod may fail to start after a power cut`,
    )
  }
  return warnings
}

function nodeLevelWarnings(values: Values): string[] {
  const mode = redirectModeOf(values)
  if (!values.ambientEnabled) return [`AMBIENT_REDIRECT_MODE ${mode} has no effect without AMBIENT_ENABLED`]
  const networks = mode === 'node-ebpf' ? 'where each pod has a veth' : 'where each pod has a route of its own (ptp)'
  const asked = values.ambientIpv6 ? ', though AMBIENT_IPV6 asks for it' : ''
  return [
    `AMBIENT_REDIRECT_MODE ${mode} is experimental, for networks ${networks}, and for IPv4 only: IPv6 traffic of pods is not in the mesh${asked}`,
  ]
}
