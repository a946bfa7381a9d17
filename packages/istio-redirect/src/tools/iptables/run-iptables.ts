import { flagsText, heading, isUsageError } from '@cni/host/cli'
import { type CaptureConfig, capturedFamilies, redirectRules } from '@cni/istio-rules'
import { type Netns, netns } from '@cni/netns'
import { messageOf, quote } from '@cni/types'
import type { ToolIo } from '../io.ts'
import { backendOf, captureOf, checkSettings } from './capture.ts'
import { configText } from './config-text.ts'
import { dryRun, nativeDryRun } from './dry-run.ts'
import { iptablesFlags, variablesOf } from './flags.ts'
import { type ToolLog, toolLog } from './log.ts'
import { type MachineState, readMachineState } from './machine-state.ts'
import { programNative } from './native-program.ts'
import { withOwnerIds } from './owner-ids.ts'
import { probe } from './probe.ts'
import { type Program, type ProgramReport, program } from './program.ts'
import { type IptablesSettings, readSettings } from './settings.ts'

/** Exit code after failed validation. Istio's agent repairs pods whose init container has this code. */
const NOT_REDIRECTED = 126

/** Runs `istio-redirect iptables` and returns its exit code. */
export async function runIptables(argv: readonly string[], io: ToolIo): Promise<number> {
  let read: ReturnType<typeof readSettings>
  try {
    read = readSettings(argv, io.env)
  } catch (error) {
    if (!isUsageError(error)) throw error
    io.stderr(`Error: ${error.message}\nTry: istio-redirect iptables --help\n`)
    return 1
  }
  const { settings, warnings, help } = read
  if (help) {
    io.stdout(helpText(io.colour))
    return 0
  }
  const log = toolLog({
    level: settings.logLevel,
    json: settings.logAsJson,
    now: io.now,
    write: settings.json ? io.stderr : io.stdout,
  })
  for (const warning of warnings) log.warn(warning)
  try {
    using opened = settings.networkNamespace === '' ? undefined : netns.open(settings.networkNamespace)
    const machine = await readMachineState(io, settings, opened ?? 'host')
    checkSettings(settings, io.env)
    const report = await writeRules(io, log, { settings, machine, opened })
    const validated = settings.runValidation ? await validate(io, log, settings, machine) : undefined
    if (settings.json) io.stdout(`${JSON.stringify({ ...report, hostIP: machine.hostIP, validated })}\n`)
    return validated === false ? NOT_REDIRECTED : 0
  } catch (error) {
    log.error(messageOf(error))
    if (settings.json) {
      io.stdout(`${JSON.stringify({ error: messageOf(error) })}\n`)
    }
    return 1
  }
}

interface Work {
  readonly settings: IptablesSettings
  readonly machine: MachineState
  readonly opened: Netns | undefined
}

type Report = ProgramReport | { readonly plan: 'dry-run' | 'skipped' }

async function writeRules(io: ToolIo, log: ToolLog, { settings, machine, opened }: Work): Promise<Report> {
  if (settings.runValidation && opened !== undefined) {
    throw new Error(
      '--run-validation does not support --network-namespace: run it inside the namespace, with nsenter --net=PATH',
    )
  }
  const { nativeNftables: native } = settings
  const name = native ? 'nftables' : 'iptables'
  if (settings.dryRun) log.info(`running ${name} in dry-run mode, no rule changes will be made`)
  if (settings.skipRuleApply) return { plan: 'skipped' }
  const given = captureOf(settings, machine, io.env)
  const config = native ? withOwnerIds(io, given) : given
  log.info(configText(settings, machine, io.env))
  if (settings.redirectDns && !capturesDns(config)) {
    log.warn('--redirect-dns has no effect: /etc/resolv.conf names no server, and --capture-all-dns is not set')
  }
  if (machine.ipv6Ignored) log.warn('the IPv6 traffic of this machine is not captured: --dual-stack captures it')
  if (settings.dryRun && native) {
    nativeDryRun(io, log, settings, config)
    return { plan: 'dry-run' }
  }
  if (settings.dryRun) {
    dryRun(io, log, { settings, rules: redirectRules(config), families: capturedFamilies(config) })
    return { plan: 'dry-run' }
  }
  const { reconcile, cleanupOnly, forceApply } = settings
  const job: Program = {
    target: opened ?? 'host',
    config,
    backend: backendOf(settings),
    reconcile,
    cleanupOnly,
    forceApply,
    signal: io.signal,
    log,
  }
  const report = await (native ? programNative(job) : program(job))
  log.info(`${PLAN_TEXTS[report.plan]} (${report.backend}, ${report.families.join(' and ')})`)
  return report
}

const PLAN_TEXTS = {
  fresh: 'rules written',
  unchanged: 'rules were there already',
  reconcile: 'rules corrected',
  replace: 'rules replaced',
  removed: 'rules, addresses and routes removed',
} as const

async function validate(io: ToolIo, log: ToolLog, settings: IptablesSettings, { hostIP }: MachineState) {
  try {
    await probe({
      family: hostIP.includes(':') ? 'ipv6' : 'ipv4',
      ports: [settings.proxyPort, settings.inboundCapturePort].map(onePort),
      probePort: settings.probePort,
      timeoutMs: settings.probeTimeout,
      signal: io.signal,
      log,
    })
    return true
  } catch (error) {
    log.error(`Validation failed: ${messageOf(error)}

The test connection did not arrive at the proxy's ports, so this workload is not ready for Istio. With Istio's CNI plugin that
happens when a pod was scheduled before the plugin was installed on the node. The node agent repairs or deletes such pods
if it is told to (repair.repairPods, repair.deletePods); otherwise delete the pod, and it starts again with its rules.`)
    return false
  }
}

/** True if the rules capture DNS queries. With an empty list of DNS servers, no query is captured. */
const capturesDns = ({ dns }: CaptureConfig): boolean =>
  dns === 'all' || (dns !== 'none' && dns.ipv4.length + dns.ipv6.length > 0)

function onePort(text: string): number {
  const port = /^\s*\d{1,10}\s*$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65535) return port
  throw new Error(`${quote(text)} is not a port (0 to 65535)`)
}

/** Returns the help text of `istio-redirect iptables`. */
function helpText(colour: boolean): string {
  return `${heading('Usage:', colour)} istio-redirect iptables [flags]

Write the iptables rules that send this machine's traffic through an Istio proxy, or with --native-nftables those of
nftables. A drop-in for istio-iptables, as init container and on virtual machines: the same flags, variables, rules and
exit codes.

A flag takes precedence over its variable, and the variable over the default. Lists are separated by commas.

${heading('Flags:', colour)}
${flagsText(iptablesFlags, { variable: (flag) => variablesOf(flag).join(', ') })}
${heading('Variables without a flag:', colour)}
  ENVOY_USER                            user whose id is the default of --proxy-uid
  ISTIO_OUTBOUND_OWNER_GROUPS           groups whose outbound traffic is captured; default *
  ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE   groups whose outbound traffic is not captured
  ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR     the IPv4 range that counts as loopback; default 127.0.0.1/32
  DRY_RUN_FILE_PATH                     with --dry-run, the file for the input of the programs

${heading('Exit codes:', colour)} 0 done, 1 failed or wrong usage (then nothing was changed), 126 traffic is not redirected (--run-validation).
`
}
