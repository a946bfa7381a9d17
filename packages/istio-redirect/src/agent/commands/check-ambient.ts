import type { AmbientConfig } from '../config/ambient-config.ts'
import type { AmbientStatus, NodeLevelStatus } from '../serve/ambient-status.ts'
import type { ServingAnswer } from './check-serving.ts'
import { type Check, checksOf } from './checks.ts'

/** Runs the checks of ambient mode on this node. Returns an empty list if ambient mode is off. */
export function checkAmbient(
  config: Pick<AmbientConfig, 'nativeNftables'> | undefined,
  answer: ServingAnswer,
): Check[] {
  if (config === undefined) return []
  if (answer === undefined) return [check('warn', 'unknown', 'SERVE_PLUGIN is false, so the agent cannot be queried')]
  if ('problem' in answer) return [check('fail', answer.socket, answer.problem, START)]
  const { ambient } = answer.status
  if (ambient === undefined) return [check('fail', answer.socket, 'the running agent has ambient mode off', START)]
  const { pending, waiting, notCaptured = 0, astray = [] } = ambient
  return [
    summary(ambient),
    ...(config.nativeNftables ? notNative(ambient) : []),
    ...podChecks(notCaptured, astray, (why) => `enrolled and not captured: ${why}`, 'not captured', NOT_CAPTURED),
    ...podChecks(pending, waiting, (why) => `pending: ${why}`, 'pending'),
  ]
}

// internal

const check = checksOf('ambient')

function summary(status: AmbientStatus): Check {
  const { enrolled, pending, notCaptured = 0, ztunnels, backend, problem, nodeLevel } = status
  const lost = notCaptured === 0 ? '' : `, ${notCaptured} not captured`
  const counts = `${pods(enrolled)} enrolled, ${pending} pending${lost}`
  const detail = [
    problem,
    `${counts}; ${nodeLevel === undefined ? connected(ztunnels) : serves(nodeLevel)}${backend === undefined ? '' : `; rules by ${backend}`}`,
  ].filter((part) => part !== undefined)
  if (problem !== undefined) return check('fail', 'mesh', detail.join('; '), READ_LOG)
  if (ztunnels === 0) {
    return check('fail', 'mesh', detail.join('; '), nodeLevel === undefined ? NO_ZTUNNEL : NO_READY_ZTUNNEL)
  }
  return check(pending + notCaptured > 0 ? 'warn' : 'ok', 'mesh', detail.join('; '))
}

/** Warns if the settings select native nftables rules and the agent uses iptables. */
function notNative({ backend, nodeLevel }: AmbientStatus): Check[] {
  if (backend === undefined || backend === 'nftables' || nodeLevel !== undefined) return []
  return [check('warn', 'rules', `NATIVE_NFTABLES is true, and ${backend} is used`, NOT_NATIVE)]
}

function podChecks(
  count: number,
  shown: AmbientStatus['waiting'],
  detail: (why: string) => string,
  what: string,
  next?: string,
): Check[] {
  const few = shown.slice(0, MAX_SHOWN).map(({ pod, why }) => check('warn', pod, detail(why), next))
  const more = count - few.length
  return more > 0 && few.length > 0 ? [...few, check('warn', 'pods', `${more} more are ${what}`)] : few
}

/** Maximal number of pods that a check lists, so that the output fits on one screen. */
const MAX_SHOWN = 5

const pods = (count: number): string => (count === 1 ? '1 pod' : `${count} pods`)

const connected = (count: number): string =>
  count === 0 ? 'no ztunnel is connected' : count === 1 ? 'ztunnel is connected' : `${count} ztunnels are connected`

const serves = ({ mode, tunnel, hostIp, ztunnel }: NodeLevelStatus): string => {
  const how = `${mode}${tunnel === undefined ? '' : ` by ${tunnel}`}, experimental, IPv4 only, node ${hostIp}`
  return `${ztunnel === undefined ? 'no ztunnel is ready: traffic is dropped' : `${ztunnel} serves`}; redirected on the node (${how})`
}

const NOT_NATIVE =
  'ipset sets of former iptables rules prevent native rules until the node reboots: reboot or replace the node; a kernel without nf_tables does not support native rules. The log of the agent shows the cause: kubectl logs'
const START = 'start install-cni with AMBIENT_ENABLED=true; until then no pod of this node joins or leaves the mesh'
const READ_LOG = 'the agent retries; read the failures in its log (kubectl logs, if it runs in a pod)'
const NOT_CAPTURED =
  'the agent checks again in each round; it needs /proc and /run/netns of the node below /host (chart: cniNetnsDir). If the pod stays uncaptured, delete it: its replacement is enrolled when it starts'
const NO_ZTUNNEL =
  'is a ztunnel running on this node? kubectl get pods -A -l app=ztunnel -o wide; it connects to ZTUNNEL_UDS_ADDRESS'
const NO_READY_ZTUNNEL =
  'is a ztunnel ready on this node? kubectl get pods -n istio-system -l app=ztunnel -o wide; SYSTEM_NAMESPACE is its namespace'
